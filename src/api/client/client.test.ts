import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, onTestFinished, test } from 'vitest'
import type { ChangeEvent as ServedEvent } from '../../changes/change-event.ts'
import type { SearchJson } from '../v1/archive/search-routes.ts'
import { requestSchema } from '../v1/jobs/job-request.ts'
import type { LinkJson } from '../v1/link-routes.ts'
import {
  type ArchivedLink,
  type ChangeEvent,
  type NewJob,
  PeerRefusal,
  PolyhistorClient,
  type SearchResult,
} from './client.ts'

// What the routes answer is what the client says: otherwise these lines do not compile.
const toldSearch = (answer: SearchJson): SearchResult => answer
const toldLink = (link: LinkJson): ArchivedLink => link
const toldEvent = (event: ServedEvent & { cursor: string }): ChangeEvent => event
void [toldSearch, toldLink, toldEvent]

type Answering = (path: string, init: RequestInit) => Response | Promise<Response>

/** A client of a peer that answers so, and what it was asked. */
function clientOf(answer: Answering, token?: string) {
  const asked: { path: string; init: RequestInit }[] = []
  const client = new PolyhistorClient('http://peer.test:7070/', {
    ...(token !== undefined && { token }),
    fetch: async (address, init = {}) => {
      const path = String(address).slice('http://peer.test:7070'.length)
      asked.push({ path, init })
      return answer(path, init)
    },
  })
  return { client, asked }
}

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })
const event = (number: number) =>
  JSON.stringify({ id: `e${number}`, kind: 'new', url: 'http://a.org/', cursor: `c1-${number}` })

/** A body that sends this, and then breaks off or ends. */
function stream(text: string, isBroken = false): Response {
  let isSent = false
  const body = new ReadableStream({
    pull: (controller) => {
      if (!isSent) controller.enqueue(new TextEncoder().encode(text))
      else if (isBroken) controller.error(new TypeError('connection lost'))
      else controller.close()
      isSent = true
    },
  })
  return new Response(body)
}

describe('the client', () => {
  test('asks with what it was given, and nothing that it was not', async () => {
    const { client, asked } = clientOf(() => json({ total: 0, hits: [] }))
    await client.search('garden & herbs', { site: 'a.org', at: undefined as never })
    assert.equal(asked[0]!.path, '/api/v1/search?q=garden+%26+herbs&site=a.org')
    assert.deepEqual(asked[0]!.init.headers, {})
  })

  test('shows its token, and sends JSON', async () => {
    const { client, asked } = clientOf(() => json({ id: 'j1', state: 'running' }), 'secret')
    assert.equal((await client.crawl({ url: 'a.org', scope: 'page' })).id, 'j1')
    const { path, init } = asked[0]!
    assert.deepEqual([init.method, path], ['POST', '/api/v1/jobs'])
    assert.deepEqual(init.headers, { 'Content-Type': 'application/json', Authorization: 'Bearer secret' })
    assert.deepEqual(JSON.parse(init.body as string), { url: 'a.org', scope: 'page' })
  })

  test('what a peer refuses has its code; what is no answer of a peer has one, too', async () => {
    const refusing = clientOf(() => json({ error: { code: 'not-archived', message: 'Nothing of it.' } }, 404))
    await assert.rejects(refusing.client.versions('a.org'), (error) => {
      assert(error instanceof PeerRefusal)
      assert.deepEqual(
        [error.code, error.status, error.message, error.isPassing],
        ['not-archived', 404, 'Nothing of it.', false],
      )
      return true
    })
    const proxy = clientOf(() => new Response('<html>bad gateway', { status: 502 }))
    await assert.rejects(proxy.client.jobs(), { code: 'http-error', status: 502 })
  })

  test('captures are read page by page, as far as somebody asks for them', async () => {
    const pages = [
      { captures: [{ url: '1' }, { url: '2' }], next: 'n1' },
      { captures: [{ url: '3' }], next: null },
    ]
    const { client, asked } = clientOf((path) => json(pages[path.includes('after=n1') ? 1 : 0]))
    const urls: string[] = []
    for await (const { url } of client.captures({ site: 'a.org', from: '2020' })) urls.push(url)
    assert.deepEqual(urls, ['1', '2', '3'])
    assert.equal(asked[1]!.path, '/api/v1/captures?site=a.org&from=2020&after=n1')
    for await (const _ of client.captures({ site: 'a.org' })) break
    assert.equal(asked.length, 3)
  })

  test('archived bytes are asked for as they came, and shown to people at another address', async () => {
    const { client, asked } = clientOf(() => new Response('bytes'))
    assert.equal(await (await client.read('http://a.org/?b=c', { at: '2020' })).text(), 'bytes')
    assert.equal(asked[0]!.path, '/web/2020id_/http://a.org/?b=c')
    assert.equal(client.address('http://a.org/', '2020'), 'http://peer.test:7070/web/2020/http://a.org/')
  })
})

describe('the stream of changes', () => {
  test('goes on from the last cursor when the connection is lost, and says how far it came', async () => {
    const answers = [
      stream(`${event(1)}\n\n{"cursor":"c1-5"}\n{"id":"cut`, true),
      json({ error: { code: 'search-off', message: 'Starting.' } }, 503),
      stream(`${event(6)}\n`),
    ]
    const { client, asked } = clientOf(() => answers.shift()!)
    const cursors: string[] = []
    const ids: string[] = []
    for await (const { id } of client.changes({
      site: 'a.org',
      onCursor: (cursor) => cursors.push(cursor),
    })) {
      ids.push(id)
      if (id === 'e6') break
    }
    assert.deepEqual(ids, ['e1', 'e6'])
    assert.deepEqual(cursors, ['c1-1', 'c1-5'])
    assert.deepEqual(
      asked.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('since')),
      [null, 'c1-5', 'c1-5'],
    )
  })

  test('ends with what there is when told so', async () => {
    const { client, asked } = clientOf(() => stream(`${event(1)}\n${event(2)}\n`))
    const ids = await Array.fromAsync(
      client.changes({ follow: false, kind: ['new', 'gone'] }),
      ({ id }) => id,
    )
    assert.deepEqual(ids, ['e1', 'e2'])
    assert.equal(asked[0]!.path, '/api/v1/changes?kind=new%2Cgone&follow=false&cursors=true')
  })

  test('says that changes are missing, and does not pass over them', async () => {
    const gap = clientOf(() => stream(`${event(1)}\n{"gap":{"upTo":"c1-9"},"cursor":"c1-9"}\n`))
    await assert.rejects(Array.fromAsync(gap.client.changes()), { code: 'cursor-too-old' })
    const old = clientOf(() => json({ error: { code: 'cursor-too-old', message: 'Too old.' } }, 410))
    await assert.rejects(Array.fromAsync(old.client.changes({ since: 'c1-0' })), { status: 410 })
    assert.equal(old.asked.length, 1)
  })

  test('gives up after as many attempts as it was told, and at once when it is stopped', async () => {
    const away = clientOf(() => Promise.reject(new TypeError('refused')))
    await assert.rejects(Array.fromAsync(away.client.changes({ attemptsMax: 1 })), /refused/)
    assert.equal(away.asked.length, 2)
    const stop = new AbortController()
    const stopped = clientOf(() => {
      stop.abort(new Error('enough'))
      return stream('')
    })
    await assert.rejects(Array.fromAsync(stopped.client.changes({ signal: stop.signal })), /enough/)
  })
})

test('a job can be told all that the peer takes', () => {
  const all: Required<NewJob> = {
    url: '',
    seeds: [],
    scope: 'page',
    depth: 1,
    include: [],
    exclude: [],
    pages: 1,
    bytes: 1,
    timeMs: 1,
    types: '',
    sitemaps: true,
    browser: 'auto',
    priority: 'low',
  }
  assert.deepEqual(Object.keys(all).sort(), Object.keys(requestSchema.properties).sort())
})

test('the example of the documentation runs', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/client.md'), 'utf8')
  const example = /```js\n([\s\S]*?)```/.exec(page)![1]!
  const answers: Record<string, string> = {
    '/api/v1/search': JSON.stringify({ total: 1, hits: [{ url: 'http://a.org/', title: 'A' }] }),
    '/api/v1/versions': JSON.stringify({ versions: [{ timestamp: '20261117103000', status: 200 }] }),
    '/api/v1/jobs': JSON.stringify({ id: 'j1', state: 'running' }),
    '/api/v1/jobs/j1': JSON.stringify({ id: 'j1', state: 'done', outcome: 'complete' }),
    '/api/v1/changes': `${event(1)}\n`,
  }
  const asked: string[] = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!.split('?')[0]!
    asked.push(`${request.method} ${path}`)
    response.writeHead(Object.hasOwn(answers, path) ? 200 : 404).end(answers[path])
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-client-'))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  })
  const { port } = server.address() as AddressInfo
  const file = join(folder, 'example.mjs')
  const library = pathToFileURL(join(import.meta.dirname, 'client.ts')).href
  await writeFile(
    file,
    example
      .replace("'polyhistor/client'", `'${library}'`)
      .replace('localhost:7070', `localhost:${port}`)
      .replace('process.env.POLYHISTOR_TOKEN', "'secret'")
      .replaceAll('console.log', 'globalThis.exampleSaid'),
  )
  const said: string[] = []
  Object.assign(globalThis, { exampleSaid: (...words: unknown[]) => said.push(words.join(' ')) })
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href)
  } finally {
    Reflect.deleteProperty(globalThis, 'exampleSaid')
  }
  assert.deepEqual(said, ['http://a.org/ A', '20261117103000 200', 'complete', 'new http://a.org/ c1-1'])
  assert.deepEqual(
    [...new Set(asked)],
    [
      'GET /api/v1/search',
      'GET /api/v1/versions',
      'POST /api/v1/jobs',
      'GET /api/v1/jobs/j1',
      'GET /api/v1/changes',
    ],
  )
})
