import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { printTimestamp } from '../model/timestamp.ts'
import type { Header } from './answers.ts'
import { boundedHead } from './bounded-head.ts'
import { TestApi } from './fixtures/test-api.ts'
import { interfacesOf, storeOf } from './fixtures/test-archive.ts'

/** What Node's client takes, with the lines that the server adds. */
const nodeBytesMax = 16 * 1024
const pythonHeadersMax = 100

function headBytes(headers: readonly Header[]): number {
  return headers.reduce(
    (bytes, [name, value]) => bytes + name.length + value.length + 4,
    'HTTP/1.1 200 OK'.length,
  )
}

function bounded(headers: readonly Header[]): readonly Header[] {
  const { headers: kept } = boundedHead({ status: 200, headers, body: undefined })
  assert.ok(headBytes(kept) < nodeBytesMax, `${headBytes(kept)} bytes`)
  assert.ok(kept.length < pythonHeadersMax)
  return kept
}

function linksOf(url: string): Header {
  const relations = ['original', 'timegate', 'timemap', 'first memento', 'memento', 'alternate']
  return ['Link', relations.map((relation) => `<http://localhost:7070/${url}>; rel="${relation}"`).join(', ')]
}

function relationsIn(headers: readonly Header[]): string[] {
  const [, value = ''] = headers.find(([name]) => name === 'Link') ?? []
  return Array.from(value.matchAll(/rel="([^"]+)"/g), ([, relation]) => relation!)
}

const type: Header = ['Content-Type', 'text/html']

describe('the head of an answer', () => {
  test('that is small goes out as it is', () => {
    const headers = [type, linksOf('http://a.test/'), ['X-Archive-Orig-Server', 'x'] as const]
    assert.equal(bounded(headers), headers)
  })

  test('of a URL of 4 kB names original, TimeGate and TimeMap, and what the archived answer said', () => {
    const original: Header = ['X-Archive-Orig-Server', 'x']
    const kept = bounded([type, linksOf(`http://a.test/${'a'.repeat(4_000)}`), original])
    assert.deepEqual(relationsIn(kept), ['original', 'timegate', 'timemap'])
    assert.ok(kept.includes(type) && kept.includes(original))
  })

  test('of a longer URL names the original as long as there is room', () => {
    assert.deepEqual(relationsIn(bounded([type, linksOf(`http://a.test/${'a'.repeat(9_000)}`)])), [
      'original',
    ])
    assert.deepEqual(bounded([type, linksOf(`http://a.test/${'a'.repeat(60_000)}`)]), [type])
  })

  test('leaves out the last of what the archived answer said, not the links, where that is long or much', () => {
    const many = Array.from({ length: 100 }, (_, number): Header => [`X-Archive-Orig-${number}`, 'v'])
    const counted = bounded([...many, type, linksOf('http://a.test/')])
    assert.equal(relationsIn(counted).length, 6)
    assert.ok(counted.includes(many[80]!) && counted.includes(type))
    const long: Header = ['X-Archive-Orig-Content-Security-Policy', 'p'.repeat(15_000)]
    const kept = bounded([many[0]!, type, long, linksOf('http://a.test/')])
    assert.equal(relationsIn(kept).length, 6)
    assert.ok(kept.includes(many[0]!) && !kept.includes(long))
  })

  test('keeps where a redirect leads, however long that is', () => {
    const location: Header = ['Location', `/web/2020/http://a.test/${'a'.repeat(20_000)}`]
    const { headers } = boundedHead({
      status: 302,
      headers: [location, linksOf('http://a.test/')],
      body: undefined,
    })
    assert.ok(headers.includes(location))
  })

  test('is kept small on every route', async () => {
    const url = `http://a.test/?${'q=1234567&'.repeat(450)}`
    const atMs = Date.UTC(2020, 0, 1)
    const store = await storeOf([{ url, at: printTimestamp(atMs) }])
    const gate = await interfacesOf(store).ask(`/timegate/${url}`)
    assert.equal(gate.status, 302)
    assert.ok(headBytes(Object.entries(gate.headers)) < nodeBytesMax)
    assert.match(gate.headers.link!, /rel="original"/)
    const handle = () => ({ status: 200, headers: [type, linksOf(url)], body: 'shown' })
    const api = new TestApi([{ methods: ['GET'], host: 'archive', path: '/shown', handle }])
    assert.ok(headBytes(Object.entries((await api.ask('/shown')).headers)) < nodeBytesMax)
  })
})
