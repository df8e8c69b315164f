// Answers to requests other than GET: filed by method and body, wherever they go.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { CDXIndexer, WARCParser } from 'warcio'
import { parseUrl } from '../../model/url/url.ts'
import { realCompressor } from '../../platform/real/compression/compressor.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { foreignRecord, sourceOf } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, sampleOptions, textOf } from '../fixtures/sample-captures.ts'
import { validWacz } from '../fixtures/wacz-validator.ts'
import { rebuildIndex } from '../rebuild/rebuild.ts'
import { Store } from '../store.ts'

const url = 'http://a.test/api?v=2'
const date = '2024-01-01T00:00:00Z'
const form = 'application/x-www-form-urlencoded'

function answered(
  number: number,
  request: { method: string; type?: string; body?: string },
  body: string,
  target = url,
): Buffer {
  const id = (last: number) =>
    `<urn:uuid:00000000-0000-4000-8000-${String(10 * number + last).padStart(12, '0')}>`
  const { method, type, body: sent = '' } = request
  const sentHead = `${method} /api?v=2 HTTP/1.1\r\nHost: a.test\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`
  const about = { 'WARC-Target-URI': target, 'WARC-Date': date }
  return Buffer.concat([
    foreignRecord(
      'response',
      { ...about, 'WARC-Record-ID': id(1), 'Content-Type': 'application/http; msgtype=response' },
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`,
    ),
    foreignRecord(
      'request',
      {
        ...about,
        'WARC-Record-ID': id(2),
        'WARC-Concurrent-To': id(1),
        'Content-Type': 'application/http; msgtype=request',
      },
      sentHead + sent,
    ),
  ])
}

const file = Buffer.concat([
  answered(1, { method: 'OPTIONS' }, ''),
  answered(2, { method: 'POST', type: form, body: 'q=one&P=%5E' }, 'first'),
  answered(3, { method: 'POST', type: 'application/json', body: '{"q":{"a":[1],"b":null}}' }, 'second'),
  answered(4, { method: 'POST', type: 'image/png', body: 'bytes' }, 'third'),
])
const get = answered(5, { method: 'GET' }, 'page')

function keysIn(store: Store): string[] {
  return [...store.scan({ kind: 'all' })].map(({ surt }) => surt)
}

async function payload(store: Store, href: string): Promise<string | undefined> {
  const capture = store.nearest(parseUrl(href), Date.parse(date))
  return capture && textOf((await store.read(capture)).payload())
}

async function imported(bytes: Buffer): Promise<Store> {
  const store = await openStore()
  const result = await store.import(sourceOf(bytes))
  assert.equal(result.problemCount, 0)
  return store
}

async function exported(store: Store, format: 'warc' | 'wacz'): Promise<Buffer> {
  const { chunks } = store.export({ selection: { kind: 'all' }, format })
  return bytesOf(chunks)
}

/** The keys that warcio.js gives the records of a WARC file. */
async function foreignKeys(bytes: Uint8Array): Promise<string[]> {
  const indexer = new CDXIndexer({ format: 'json' })
  const keys: string[] = []
  const parser = new WARCParser([bytes])
  for await (const line of indexer.iterRecords(parser, 'x.warc.gz')) keys.push(String(line.urlkey))
  return keys.sort()
}

describe('answers to other requests than GET', () => {
  test('are under the keys of warcio.js, and never stand in for a GET', async () => {
    const store = await imported(file)
    assert.equal(await payload(store, url), undefined)
    assert.deepEqual(keysIn(store).sort(), await foreignKeys(file))
    assert.equal(await payload(store, `${url}&__wb_method=POST&q=one&P=^`), 'first')
    await store.import(sourceOf(get))
    assert.equal(await payload(store, url), 'page')
    assert.deepEqual(keysIn(store).length, 5)
  })

  test('are where they were after the index is made anew, and a scrub finds nothing wrong', async () => {
    const store = await imported(Buffer.concat([file, get]))
    const keys = keysIn(store)
    assert.deepEqual((await store.scrub()).damaged, [])
    const { folder } = store
    await store.close()
    const needs = { ...localWorld(), compressor: realCompressor }
    await rebuildIndex(needs, folder, sampleOptions)
    const again = await Store.open(needs, folder, sampleOptions)
    assert.deepEqual(keysIn(again), keys)
    await again.close()
  })

  test('are given to other stores as they are here', async () => {
    const store = await imported(file)
    const other = await openStore()
    for (const capture of store.scan({ kind: 'all' })) {
      assert.equal(await other.take((await store.give(capture.cursor))!), 'kept')
    }
    assert.deepEqual(keysIn(other), keysIn(store))
  })

  test('go into exports with the URL that was asked, and come back from them', async () => {
    const store = await imported(Buffer.concat([file, get]))
    const warc = await exported(store, 'warc')
    assert.deepEqual(await foreignKeys(warc), keysIn(store).sort())
    assert.deepEqual(keysIn(await imported(warc)), keysIn(store))
    const { lines, pages } = await validWacz(await exported(store, 'wacz'))
    assert.deepEqual(new Set(lines.map((line) => line.url)), new Set([url]))
    const form = lines.find(({ surt }) => surt.includes('q=one'))
    assert.deepEqual(form?.more, { method: 'POST', requestBody: 'q=one&P=^' })
    // A form's answer is no page that one could go to.
    assert.equal(pages.length, 1)
  })

  test('are filed so where the request is too large to be kept', async () => {
    const large = answered(6, { method: 'POST', type: 'image/png', body: 'x'.repeat(1_100_000) }, 'large')
    const store = await openStore()
    const result = await store.import(sourceOf(large))
    assert.deepEqual([result.kept, result.skippedBy], [1, { refused: 1 }])
    assert.equal(await payload(store, url), undefined)
    assert.match(keysIn(store)[0]!, /\?__wb_method=post&__wb_post_data=/)
  })

  test('that an earlier version filed as GETs are filed as what they are when the index is made anew', async () => {
    const sent = (method: string, body: string) =>
      Buffer.from(`${method} /api?v=2 HTTP/1.1\r\nHost: a.test\r\nContent-Type: ${form}\r\n\r\n${body}`)
    const store = await openStore()
    const startMs = Date.parse(date)
    const text = pageText(1, 20_000)
    // Each is kept as a delta of the one before.
    for (const [at, request] of [
      sent('GET', ''),
      sent('POST', 'q=1'),
      sent('POST', 'q=1'),
      sent('GET', ''),
    ].entries())
      await store.append(pageCapture(url, startMs + at * 1_000, `${text}<p>${at}`, { request }))
    assert.equal(new Set(keysIn(store)).size, 1)
    assert.ok([...store.scan({ kind: 'all' })].some(({ kind }) => kind === 'delta'))
    const { folder } = store
    await store.close()
    const needs = { ...localWorld(), compressor: realCompressor }
    const filed = `${url}&__wb_method=POST&q=1`
    const textsOf = (of: Store, href: string) =>
      Promise.all(
        Array.from(of.versions(parseUrl(href)), async (capture) =>
          textOf((await of.read(capture)).payload()),
        ),
      )
    for (let time = 0; time < 2; time++) {
      const { refiled, damagedCount, missing } = await rebuildIndex(needs, folder, {
        ...sampleOptions,
        refilesRequests: true,
      })
      assert.deepEqual([refiled, damagedCount, missing], [2, 0, 0])
    }
    const again = await Store.open(needs, folder, sampleOptions)
    const other = await openStore()
    for (const { cursor } of again.scan({ kind: 'all' })) {
      const outcome = await other.take((await again.give(cursor))!)
      if (outcome === 'lacking')
        assert.equal(await other.take((await again.give(cursor, { isWhole: true }))!), 'kept')
      else assert.equal(outcome, 'kept')
    }
    const back = await imported(await exported(again, 'warc'))
    for (const one of [again, other, back]) {
      assert.deepEqual(await textsOf(one, url), [`${text}<p>0`, `${text}<p>3`])
      assert.deepEqual(await textsOf(one, filed), [`${text}<p>1`, `${text}<p>2`])
      assert.deepEqual((await one.scrub()).damaged, [])
      assert.deepEqual(await one.checkIndex(), [])
    }
    await again.close()
  })
})
