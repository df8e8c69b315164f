import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, test } from 'vitest'
import type { AddressRule } from '../../network/web.ts'
import { GuardedTunnel } from './guarded-tunnel.ts'

async function startServer(): Promise<number> {
  const server = createServer((incoming, answer) => {
    const { 'proxy-authorization': secret } = incoming.headers
    answer.end(`${incoming.method} ${incoming.url} ${incoming.headers.host} ${secret}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function startTunnel(allow: AddressRule) {
  const tunnel = new GuardedTunnel(allow)
  const port = await tunnel.listen()
  onTestFinished(() => tunnel.close())
  const { username, password } = tunnel.credentials
  const known = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const ask = (path: string, authorization = known) =>
    answered(request({ port, path, headers: { 'Proxy-Authorization': authorization, Host: 'x' } }))
  const tunnelTo = (path: string, authorization = known) => {
    const asking = request({
      port,
      path,
      method: 'CONNECT',
      headers: { 'Proxy-Authorization': authorization },
    })
    return new Promise<number | undefined>((resolve, reject) => {
      asking.once('error', reject)
      asking.once('connect', ({ statusCode }, socket) => {
        socket.destroy()
        resolve(statusCode)
      })
      asking.end()
    })
  }
  return { ask, tunnelTo }
}

function answered(asking: ReturnType<typeof request>): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    asking.once('error', reject)
    asking.once('response', async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      resolve([response.statusCode, text])
    })
    asking.end()
  })
}

const all: AddressRule = { refusal: () => undefined }
const none: AddressRule = { refusal: () => 'forbidden' }

test('passes requests on to who is allowed, without its own secret', async () => {
  const port = await startServer()
  const { ask, tunnelTo } = await startTunnel(all)
  assert.deepEqual(await ask(`http://127.0.0.1:${port}/a?b`), [200, `GET /a?b 127.0.0.1:${port} undefined`])
  assert.equal(await tunnelTo(`127.0.0.1:${port}`), 200)
})

test('connects to no address that the rule refuses, by number or by name', async () => {
  const port = await startServer()
  const { ask, tunnelTo } = await startTunnel(none)
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    assert.equal((await ask(`http://${host}:${port}/`))[0], 403, host)
    assert.equal(await tunnelTo(`${host}:${port}`), 403, host)
  }
  assert.equal((await ask('ftp://127.0.0.1/'))[0], 403)
})

test('is nobody else’s way out', async () => {
  const port = await startServer()
  const { ask, tunnelTo } = await startTunnel(all)
  for (const authorization of ['', 'Basic d2luZG93Og==']) {
    assert.equal((await ask(`http://127.0.0.1:${port}/`, authorization))[0], 407)
    assert.equal(await tunnelTo(`127.0.0.1:${port}`, authorization), 407)
  }
})
