import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { readWarc } from '../formats/warc/reading/reader.ts'
import { typeOf } from '../formats/warc/record.ts'
import { digestOf } from '../model/digest.ts'
import { parseUrl } from '../model/url/url.ts'
import { parseContentKey, printContentKey } from './contents/content-key.ts'
import { openStore } from './fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from './fixtures/sample-captures.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')

describe('captures', () => {
  test('are found by URL and time, and read back byte for byte', async () => {
    const store = await openStore()
    const url = parseUrl('http://example.com/')
    for (let version = 0; version < 3; version++) {
      const { outcome } = await store.append(
        pageCapture(url.href, start + version * day, pageText(version, 3_000)),
      )
      assert.equal(outcome, 'kept')
    }
    const versions = [...store.versions(url)]
    assert.deepEqual(
      versions.map((capture) => capture.capturedAtMs),
      [start, start + day, start + 2 * day],
    )
    for (const [version, capture] of versions.entries()) {
      const answer = await store.read(capture)
      assert.equal(await textOf(answer.payload()), pageText(version, 3_000))
      assert.match(
        Buffer.from(answer.head!).toString(),
        /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/html; charset=utf-8\r\n\r\n$/,
      )
      assert.equal(capture.mime, 'text/html')
      assert.equal(capture.status, 200)
    }
    assert.equal(store.newestNotNewer(url, start + day - 1)?.capturedAtMs, start)
    assert.equal(store.newestNotNewer(url, start - 1), undefined)
    assert.equal(store.nearest(url, start + day - 1)?.capturedAtMs, start + day)
    assert.equal(store.nearest(url, 0)?.capturedAtMs, start)
    assert.equal(store.nearest(url, start + 100 * day)?.capturedAtMs, start + 2 * day)
  })

  test('survive closing and opening', async () => {
    const store = await openStore()
    const receipt = await store.append(pageCapture('http://example.com/', start, 'hello'))
    await store.close()
    const again = await openStore({}, store.folder)
    assert.deepEqual([...again.versions(parseUrl('http://example.com/'))], [receipt.capture])
    assert.equal(await textOf((await again.read(receipt.capture)).payload()), 'hello')
  })

  test('appended again are known and add nothing', async () => {
    const store = await openStore()
    const capture = pageCapture('http://example.com/', start, pageText(1, 3_000))
    const first = await store.append(capture)
    const before = await store.stat()
    assert.deepEqual(await store.append(capture), { outcome: 'known', capture: first.capture })
    assert.deepEqual(await store.stat(), before)
  })

  test('of many callers at once are all kept, a payload once', async () => {
    const store = await openStore()
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        store.append(pageCapture(`http://example.com/${i}`, start, pageText(i % 20, 5_000))),
      ),
    )
    const stat = await store.stat()
    assert.equal(stat.captures, 200)
    assert.equal(stat.distinctPayloads, 20)
    for (const capture of store.scan({ kind: 'all' })) {
      const i = Number(new URL(capture.url).pathname.slice(1))
      assert.equal(await textOf((await store.read(capture)).payload()), pageText(i % 20, 5_000))
    }
  })
})

describe('volumes', () => {
  test('are WARC files that hold request, response and metadata of each capture', async () => {
    const store = await openStore()
    await store.append(
      pageCapture('http://example.com/', start, 'hello', {
        request: Buffer.from('GET / HTTP/1.1\r\nHost: example.com\r\n\r\n'),
        metadata: [['via', 'http://example.org/']],
        ipAddress: '192.0.2.1',
      }),
    )
    await store.append(pageCapture('http://example.com/again', start, 'hello'))
    const folder = join(store.folder, 'volumes')
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.warc.gz'))
    const types: (string | undefined)[] = []
    const digested: (string | undefined)[] = []
    for await (const item of readWarc(createReadStream(join(folder, name!)), { verify: true })) {
      assert.equal(item.kind, 'record')
      if (item.kind !== 'record') continue
      types.push(typeOf(item.record))
      if (item.record.fields.has('WARC-Block-Digest')) digested.push(types.at(-1))
    }
    assert.deepEqual(types, ['warcinfo', 'response', 'request', 'metadata', 'revisit'])
    // A revisit's would be a tenth of it.
    assert.deepEqual(digested, ['warcinfo', 'response', 'request', 'metadata'])
  })
})

describe('deltas', () => {
  test('keep small changes small, in chains that end', async () => {
    const store = await openStore({ deltaChainMax: 3 })
    const url = parseUrl('http://example.com/news')
    let text = pageText(7, 20_000)
    const texts: string[] = []
    for (let version = 0; version < 9; version++) {
      text = text.replace('<p', `<p data-version="${version}"`)
      texts.push(text)
      await store.append(pageCapture(url.href, start + version * day, text))
    }
    const versions = [...store.versions(url)]
    assert.deepEqual(
      versions.map(({ kind }) => kind),
      ['full', 'delta', 'delta', 'delta', 'full', 'delta', 'delta', 'delta', 'full'],
    )
    assert.ok(versions[1]!.storedBytes * 2 < versions[0]!.storedBytes)
    await store.close()
    const again = await openStore({}, store.folder)
    for (const [version, capture] of versions.entries()) {
      assert.equal(await textOf((await again.read(capture)).payload()), texts[version])
    }
  })
})

describe('contents', () => {
  test('are put, counted, got and deleted by key', async () => {
    const store = await openStore()
    const bytes = Buffer.from(pageText(1, 5_000))
    const key = await store.put(bytes)
    assert.equal(printContentKey(key), printContentKey({ digest: digestOf('sha256', bytes), overflow: 0 }))
    assert.deepEqual(await store.put(bytes), key)
    assert.deepEqual(await bytesOf(store.get(parseContentKey(printContentKey(key)))), bytes)
    assert.deepEqual(store.has([key.digest, digestOf('sha256', 'x')]), [true, false])
    await store.delete(key)
    assert.deepEqual(await bytesOf(store.get(key)), bytes)
    await store.delete(key)
    await assert.rejects(bytesOf(store.get(key)), { code: 'store-content-missing' })
    await assert.rejects(store.delete(key), { code: 'store-not-found' })
  })
  test('too large for memory flow in and out, and are known the second time', async () => {
    const store = await openStore()
    const chunk = Buffer.from(pageText(3, 1_000_000))
    const chunks = Array.from({ length: 12 }, () => chunk)
    const content = {
      sizeBytes: chunk.length * chunks.length,
      digest: digestOf('sha256', Buffer.concat(chunks)),
      chunks: async function* () {
        yield* chunks
      },
    }
    const key = await store.put(content)
    assert.deepEqual(await bytesOf(store.get(key)), Buffer.concat(chunks))
    const before = await store.stat()
    assert.deepEqual(await store.put(content), key)
    assert.equal((await store.stat()).volumes[0]!.bytes, before.volumes[0]!.bytes)
  })
})
