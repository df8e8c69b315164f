// What strangers may send: to a whole peer, over real sockets. Whatever it is, the answer is theirs to read, never a fault
// of ours, and the next one is answered as if nothing had happened.

import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { localCrawling } from '../../src/app/fixtures/crawler-options.ts'
import { openPeer } from '../../src/app/peer.ts'
import { realPlatform } from '../../src/app/real-platform.ts'
import { openStore } from '../../src/app/store/store-library.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { silentLog } from '../../src/platform/log.ts'
import { Prng } from '../../src/platform/simulated/prng.ts'
import { temporaryFolder } from '../command.ts'

interface Said {
  status: number
  text: string
  headers: NodeJS.Dict<string | string[]>
}

async function strangersPeer() {
  const home = await temporaryFolder()
  const store = await openStore(join(home, 'store'))
  onTestFinished(() => store.close())
  const faults: unknown[] = []
  const log = { ...silentLog, error: (facts: object) => void faults.push(facts) }
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'
  for (const [url, year] of [
    ['http://a.test/', 2010],
    ['http://a.test/', 2020],
    ['http://a.test/x?y=//z', 2015],
    ['http://gone.test/', 2015],
  ] as const) {
    const block = Buffer.from(`${head}<title>${year}</title><a href="/x?y=//z">x</a>`)
    await store.append({ url: parseUrl(url), capturedAtMs: Date.UTC(year, 0), block })
  }
  await store.takedown({ kind: 'url', url: 'http://gone.test/' })
  const server = { home, host: '127.0.0.1', port: 0, isReadableByAll: true }
  const crawler = { ...localCrawling, concurrency: 1, allowed: [] }
  const peer = await openPeer({ platform: realPlatform(), store, log }, { server, crawler })
  onTestFinished(() => peer.close())
  const port = Number(new URL(peer.server.origins.archive).port)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const say = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Said>((resolve, reject) => {
      const host = `${headers.host ?? 'localhost'}:${port}`
      const asking = request({ agent, host: '127.0.0.1', port, path, method, headers: { ...headers, host } })
      asking.on('error', (error) => reject(new Error(`${method} ${path} at ${host}`, { cause: error })))
      asking.on('response', (answer) => {
        let text = ''
        answer.setEncoding('latin1').on('data', (chunk) => (text += chunk))
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode!, text, headers: answer.headers }))
      })
      asking.end()
    })
  return { say, faults }
}

describe('an address that is not understood', () => {
  test('is a 400 with a sentence, in every interface', async () => {
    const { say } = await strangersPeer()
    for (const path of [
      '/web/20201301/http://a.test/',
      '/web/20200230000000id_/http://a.test/',
      '/web/20209999999999id_/http://a.test/',
      '/web/2020xx_/http://a.test/',
      '/web/2020id_/javascript:1',
      '/web/2020id_/http://',
      '/web/2020id_/',
      '/web/mailto:x',
      '/timegate/ftp://a.test/',
      '/timemap/link/http://[',
      '/cdx/search/cdx',
      '/cdx/search/cdx?url=a.test&from=yesterday',
      '/wayback/available?url=a.test&timestamp=x',
      '/diff/2020/x/http://a.test/',
      '/api/v1/versions',
      '/api/v1/capture?url=http://[',
      '/api/v1/captures?from=abc',
    ]) {
      const { status, text } = await say(path)
      assert.equal(status, 400, `${path}: ${status} ${text.slice(0, 200)}`)
      assert.ok(/[a-z]{2,} [a-z]{2,} [\s\S]{10}/.test(text), `${path}: ${text.slice(0, 200)}`)
    }
  })

  test('of what was taken down is a 451, also for those who know its time', async () => {
    const { say } = await strangersPeer()
    for (const path of [
      '/web/2015/http://gone.test/',
      '/web/20150101000000id_/http://gone.test/',
      '/web/*/http://gone.test/',
      '/web/http://gone.test/',
      '/timegate/http://gone.test/',
      '/timemap/json/http://gone.test/',
      '/cdx/search/cdx?url=gone.test',
      '/api/v1/versions?url=gone.test',
      '/api/v1/capture?url=gone.test',
    ])
      assert.equal((await say(path)).status, 451, path)
    const framed = await say('/web/20150101000000mp_/http://gone.test/', { host: 'replay.localhost' })
    assert.equal(framed.status, 451)
  })
})

test('whatever is sent, nothing is a fault of ours, and nobody but the owner can write', async () => {
  const { say, faults } = await strangersPeer()
  const random = new Prng('strangers')
  const below = (limit: number) => random.next() % limit
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const starts = [
    '/',
    '/web/',
    '/web/2020/',
    '/web/2020id_/',
    '/web/*/',
    '/web/2020mp_/',
    '/timegate/',
    '/timemap/link/',
    '/timemap/cdxj/',
    '/cdx/search/cdx?',
    '/all/cdx?',
    '/wayback/available?',
    '/api/v1/',
    '/api/v1/versions?',
    '/api/v1/captures?',
    '/api/v1/capture?',
    '/api/v1/export?',
    '/api/v1/jobs/',
    '/diff/2010/2020/',
    '/site/',
    '/jobs/',
    '/assets/',
    '/go?',
    '/save',
  ]
  const pieces = [
    'http://a.test/',
    'a.test',
    'http:/a.test',
    'https%3A%2F%2Fa.test',
    '*',
    '//',
    '..',
    '%2F',
    '%zz',
    '%00',
    '?',
    '&',
    '=',
    '#',
    'url=a.test',
    'url=',
    'limit=-1',
    'limit=99999999999999999999',
    'filter=original:(a',
    'filter=~url:.*',
    'collapse=x',
    'fl=a,b',
    'output=json',
    'page=7',
    'resumeKey=x',
    'from=2',
    'to=1',
    'sort=reverse',
    'closest=2015',
    'after=!',
    'format=warc',
    'site=x',
    '2020',
    '00000000000000',
    '99999999999999',
    'id_',
    'mp_',
    '/',
    'x'.repeat(300),
    '[',
    '{',
    '-',
    '_',
    "'",
    '"',
    '<script>',
  ]
  const headerSets: Record<string, string>[] = [
    {},
    { accept: 'text/html' },
    { accept: 'application/json' },
    { 'accept-datetime': 'Thu, 01 Jan 2015 00:00:00 GMT' },
    { 'accept-datetime': 'x' },
    { range: 'bytes=5-2', referer: 'http://x/' },
    { 'accept-encoding': 'gzip' },
    { authorization: 'Bearer x' },
    { cookie: 'polyhistor-write=x', origin: 'null' },
  ]
  for (let round = 0; round < 1_500; round++) {
    const path = pick(starts) + Array.from({ length: below(5) }, () => pick(pieces)).join('')
    const method = pick(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'])
    const host = pick(['localhost', 'localhost', 'replay.localhost', '127.0.0.1', 'evil.test'])
    const said = await say(path.replaceAll(' ', '+'), { ...pick(headerSets), host }, method)
    const what = `${method} ${path} at ${host}: ${said.status} ${said.text.slice(0, 300)}`
    assert.ok(said.status < 500 || said.status === 508, what)
    if (host === 'evil.test') assert.equal(said.status, 421, what)
    if (method === 'POST' || method === 'DELETE') assert.ok(said.status >= 400, what)
    // What somebody sent never comes back as markup.
    if (String(said.headers['content-type']).startsWith('text/html') && said.status >= 400)
      assert.ok(!said.text.includes('<script>'), what)
  }
  assert.deepEqual(faults, [])
  assert.equal((await say('/api/v1/stats')).status, 200)
})
