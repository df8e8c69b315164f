// Messages over real sockets: what receivers get, judged by the convention's own library; where nothing is sent to.

import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { onTestFinished, test } from 'vitest'
import { removeFolder } from '../../platform/fixtures/child-processes.ts'
import type { AddressRule } from '../../platform/network/web.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { RealRandom } from '../../platform/real/random.ts'
import { startWeb } from '../../platform/real/web/web.ts'
import { WebhookBook } from './webhook-book.ts'
import { WebhookSender } from './webhook-sender.ts'
import { Webhooks } from './webhooks.ts'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const anywhere: AddressRule = { refusal: () => undefined }

async function opened(
  allow: AddressRule,
  respond: (path: string) => [number, Record<string, string>] = () => [200, {}],
) {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-'))
  const world = localWorld()
  const [clock, random] = [new RealClock(), new RealRandom()]
  const map = await world.keyValues.open(join(folder, 'watches'))
  const web = await startWeb({ clock, random, disk: world.disk }, { spoolFolder: join(folder, 'spool') })
  const book = new WebhookBook(map, { waitingMax: 5, deadMax: 3 })
  const sender = new WebhookSender({ book, web, allow, clock, random, userAgent: 'a test' })
  const needs = { book, clock, random, refusalOfHost: () => undefined, isWatch: () => true }
  const webhooks = new Webhooks({ ...needs, wake: (id) => sender.forgive(id) })
  const received: Received[] = []
  let rung = () => {}
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({
      path: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    })
    const [status, headers] = respond(request.url!)
    response.writeHead(status, headers).end('x'.repeat(100_000))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const watch = setInterval(() => rung(), 20)
  onTestFinished(async () => {
    clearInterval(watch)
    await sender.close()
    await web.close()
    await map.close()
    server.closeAllConnections()
    server.close()
    await removeFolder(folder)
  })
  const until = (what: string, isSo: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${what} did not come`)), 30_000)
      rung = () => {
        if (!isSo()) return
        clearTimeout(late)
        resolve()
      }
    })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { book, webhooks, received, until, origin }
}

test('a message is signed so that the library of the convention takes it, by the new secret and by the one before', async () => {
  const { webhooks, received, until, origin } = await opened(anywhere)
  const { webhook, secret } = await webhooks.add({ url: `${origin}/in` })
  const renewed = await webhooks.renewSecret(webhook.id)
  assert.notEqual(renewed.secret, secret)
  await webhooks.trial(webhook.id)
  await until('the message', () => received.length === 1)
  const { headers, body } = received[0]!
  for (const one of [secret, renewed.secret])
    assert.deepEqual(new Webhook(one).verify(body, headers as Record<string, string>), JSON.parse(body))
  const { secret: another } = (await webhooks.add({ url: `${origin}/other` })) as { secret: string }
  assert.throws(() => new Webhook(another).verify(body, headers as Record<string, string>))
  assert.match(headers['content-type']!, /^application\/json/)
  await until('that it was taken', () => webhooks.find(webhook.id).waiting === 0)
})

test('redirects are not followed, and refused addresses are not connected to', async () => {
  const { webhooks, received, until, origin } = await opened(
    { refusal: (address) => (address === '127.0.0.1' ? undefined : 'not there') },
    (path) => (path === '/in' ? [302, { Location: '/secret' }] : [200, {}]),
  )
  const { webhook } = await webhooks.add({ url: `${origin}/in` })
  await webhooks.trial(webhook.id)
  await until('the failure', () => webhooks.find(webhook.id).trouble !== undefined)
  assert.deepEqual(
    [received.map(({ path }) => path), webhooks.find(webhook.id).trouble],
    [['/in'], 'It answered 302, and redirects are not followed.'],
  )
  const { webhook: inner } = await webhooks.add({ url: origin.replace('127.0.0.1', 'localhost') })
  const { webhook: other } = await webhooks.add({ url: origin.replace('127.0.0.1', '127.0.0.2') })
  for (const { id } of [inner, other]) await webhooks.trial(id)
  await until('the refusal', () => webhooks.find(other.id).trouble !== undefined)
  assert.match(webhooks.find(other.id).trouble!, /^address-forbidden/)
})

test('what waits and what was given up is bounded, and counted', async () => {
  const { book, webhooks } = await opened(anywhere)
  const { webhook } = await webhooks.add({ url: 'http://127.0.0.1:1/' })
  await webhooks.setPaused(webhook.id, true)
  for (let index = 0; index < 12; index++) await webhooks.trial(webhook.id)
  const { waiting, dead, droppedCount } = webhooks.find(webhook.id)
  assert.deepEqual([waiting, dead, droppedCount], [5, 3, 4])
  assert.equal(await book.revive(webhook.id, 0), 0, 'there is no room')
  assert.deepEqual(new WebhookBook(book.map).waiting(webhook.id).length, 5)
})

test('what is no address to send to is refused in words', async () => {
  const { webhooks } = await opened(anywhere)
  for (const url of ['', 'ftp://a.example/', 'https://me:secret@a.example/', 7, 'x'.repeat(3_000)])
    await assert.rejects(webhooks.add({ url }), /^(?:WatchesError|UrlError)/)
})
