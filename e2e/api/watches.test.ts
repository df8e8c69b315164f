// Watches with real processes: a page changes, its watch tells a receiver; the receiver is down, the peer is killed, and after both are
// back the message comes, and what was seen is recorded once.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { onTestFinished, test } from 'vitest'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { until } from '../network/until.ts'
import { startPeer } from './peer.ts'

const timeout = 600_000

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

test(
  'a page changes: its watch sends a signed message, also when the receiver was down and the peer was killed',
  async () => {
    let price = 10
    const origin = await served((path) => (path === '/robots.txt' ? undefined : page(price)))
    const receiver = await Receiver.start()
    const home = await temporaryFolder()
    let peer = await startPeer(home)
    const asked = async <T>(...words: string[]): Promise<T> => {
      const { code, output, errors } = await polyhistor([...words, '--home', home, '--json'])
      assert.equal(code, 0, errors)
      return JSON.parse(output) as T
    }
    const crawl = () => asked('crawl', origin, '--depth', '0')
    const seen = async (id: string) =>
      (await asked<{ told: number; history: { words: string; difference: string[] }[] }>('watch', 'show', id))
        .history

    const { id } = await asked<{ id: string }>('watch', 'add', origin, '--selector', '.price')
    const { secret } = await asked<{ secret: string }>('webhooks', 'add', receiver.url)
    await until('its page is archived', async () => (await seen(id)).length === 1)
    price = 12
    await crawl()
    await until('the first message comes', async () => receiver.received.length >= 1)
    const judged = new Webhook(secret).verify(
      receiver.received[0]!.body,
      receiver.received[0]!.headers as Record<string, string>,
    )
    assert.equal((judged as { type: string }).type, 'watch.changed')

    await receiver.stop()
    price = 14
    await crawl()
    await until('the change is recorded', async () => (await seen(id)).length === 3)
    await peer.stop('SIGKILL')
    await receiver.startAgain()
    peer = await startPeer(home)
    // The first may come again: who is killed before it noted the answer sends it once more.
    const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    await until('the second message comes', async () => ids().size >= 2)
    assert.equal(ids().size, 2)
    assert.deepEqual(
      (await seen(id)).map(({ difference }) => difference[0]?.replace(/^~ Price (.*) EUR$/, '$1')),
      ['[-12-]{+14+}', '[-10-]{+12+}', undefined],
    )
    // The receiver has it a little before the sender has its answer.
    await until('nothing to be sent any more', async () => {
      const { webhooks } = await asked<{ webhooks: { waiting: number; deadLetters: number }[] }>(
        'webhooks',
        'list',
      )
      const left = webhooks.map(({ waiting, deadLetters }) => [waiting, deadLetters])
      return isDeepStrictEqual(left, [[0, 0]]) || JSON.stringify(webhooks)
    })

    // Strangers see nothing of it.
    for (const path of ['/api/v1/watches', `/api/v1/watches/${id}`, '/api/v1/webhooks']) {
      const answer = await fetch(`${peer.url}${path}`)
      assert.equal(answer.status, 401, path)
      assert.equal((await answer.text()).includes(id), false)
    }
    for (const path of ['/watches', `/watches/${id}`, '/webhooks'])
      assert.equal((await (await fetch(`${peer.url}${path}`)).text()).includes(origin), false, path)
    await peer.stop()
  },
  timeout,
)

class Receiver {
  readonly received: Received[] = []
  #server: Server | undefined
  #port = 0

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    await receiver.startAgain()
    onTestFinished(() => receiver.stop())
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`
  }

  /** At the same address. */
  async startAgain(): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      this.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
      response.end()
    })
    // Not one that the system gives away while this one is down.
    if (this.#port === 0) this.#port = await freePort()
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** What it gives for a path; 404 where that is nothing. */
async function served(textOf: (path: string) => string | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const text = textOf(request.url ?? '/')
    response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': 'text/html' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop`
}

function page(price: number): string {
  return `<title>Shop</title><main><p>Fish of the harbour, sold since 1871.</p><p class="price">Price ${price} EUR</p></main>`
}
