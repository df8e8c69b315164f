import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { WARCParser } from 'warcio'
import { uncompressed, zstd } from '../../formats/warc/compression/compression.ts'
import { readWarc } from '../../formats/warc/reading/reader.ts'
import { typeOf } from '../../formats/warc/record.ts'
import { digestOf, parseDigest, printDigest } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { recordFixture, sourceOf } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import type { Store, StoreOptions } from '../store.ts'
import type { ExportOptions } from './exporter.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')
const request = Buffer.from('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')

/** Every kind of capture there is. */
async function variedStore(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore(options)
  let text = pageText(7, 20_000)
  for (let version = 0; version < 4; version++) {
    text = text.replace('<p', `<p data-version="${version}"`)
    await store.append(
      pageCapture('http://a.test/news', start + version * day, text, {
        request,
        metadata: [['via', 'http://a.test/']],
        ipAddress: '192.0.2.1',
      }),
    )
  }
  await store.append(
    pageCapture('http://a.test/copy', start + day, text, {
      headers: ['X-Copy: yes', 'Transfer-Encoding: chunked'],
    }),
  )
  await store.append(pageCapture('http://b.test/copy', start + 2 * day, text))
  await store.append(
    pageCapture('http://b.test/chunked', start, '5\r\nhello\r\n0\r\n\r\n', {
      headers: ['Transfer-Encoding: chunked'],
    }),
  )
  const head = Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n')
  for (const later of [10, 11]) {
    await store.append({
      url: parseUrl('http://a.test/news'),
      capturedAtMs: start + later * day,
      block: head,
      revisit: { kind: 'not-modified', of: { url: 'http://a.test/news', capturedAtMs: start + 3 * day } },
    })
  }
  const image = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * 7919) % 251))
  for (const [at, name] of ['one', 'two'].entries()) {
    await store.append({
      url: parseUrl(`http://c.test/${name}.png`),
      capturedAtMs: start + at,
      block: image,
      contentType: 'image/png',
    })
  }
  const large = Buffer.alloc(4_500_000, pageText(3, 50_000))
  for (const path of ['large', 'large-again']) {
    const bytes = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n'), large])
    await store.append({ url: parseUrl(`http://c.test/${path}`), capturedAtMs: start, block: bytes })
  }
  return store
}

async function exported(store: Store, options: ExportOptions) {
  const { chunks, result } = store.export(options)
  return { file: await bytesOf(chunks), result }
}

/** What a reader can know of every capture, its payload included. */
async function contentsOf(store: Store): Promise<unknown[]> {
  const all: unknown[] = []
  for (const capture of store.scan({ kind: 'all' })) {
    const { url, capturedAtMs, status, mime, recordId } = capture
    const answer = await store.read(capture)
    const payload = printDigest(digestOf('sha256', await bytesOf(answer.payload())))
    const head =
      answer.head &&
      Buffer.from(answer.head)
        .toString()
        .replace(/^transfer-encoding:.*\r\n/im, '')
    all.push({ url, capturedAtMs, status, mime, recordId, payload, head })
  }
  return all
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** warcio reads every record; every digest in it is that of the bytes. Gives types by URL. */
async function judged(file: Uint8Array): Promise<string[]> {
  const seen: string[] = []
  for await (const record of new WARCParser(single(file), { keepHeadersCase: true, parseHttp: false })) {
    const block = await record.readFully(false)
    const digest = record.warcHeader('WARC-Block-Digest')
    if (digest) assert.equal(printDigest(digestOf('sha256', block)), printDigest(parseDigest(digest)))
    seen.push(`${record.warcType} ${record.warcTargetURI ?? ''}`.trim())
  }
  for await (const item of readWarc(single(file), { verify: true })) assert.equal(item.kind, 'record')
  return seen
}

describe('a WARC file of everything', () => {
  for (const [name, options] of Object.entries({
    gzip: {},
    zstd: { compression: zstd },
    plain: { compression: uncompressed },
  })) {
    test(`from ${name} volumes: warcio reads it, and a fresh store has the same captures`, async () => {
      const store = await variedStore(options)
      const { file, result } = await exported(store, { format: 'warc' })
      assert.deepEqual([result.failed, result.exported], [0, (await store.stat()).captures])
      assert.equal(result.writtenBytes, file.length)
      assert.equal(result.doneCaptures, result.totalCaptures)
      const seen = await judged(file)
      assert.equal(seen[0], 'warcinfo')
      assert.equal(seen.filter((one) => one === 'request http://a.test/news').length, 4)
      assert.equal(seen.filter((one) => one === 'metadata http://a.test/news').length, 4)
      // Deltas are full responses; duplicates and 304s stay revisits, for all of them is here.
      assert.equal(seen.filter((one) => one === 'response http://a.test/news').length, 4)
      assert.equal(seen.filter((one) => one === 'revisit http://a.test/news').length, 2)
      assert.ok(seen.includes('revisit http://b.test/copy'))
      assert.ok(seen.includes('resource http://c.test/two.png'))
      const fresh = await openStore()
      const imported = await fresh.import(sourceOf(file))
      assert.deepEqual([imported.damaged, imported.mismatched, imported.problemCount], [0, 0, 0])
      assert.deepEqual(await contentsOf(fresh), await contentsOf(store))
      assert.deepEqual(await fresh.checkIndex(), [])
    })
  }

  test('stored gzip records are copied as they lie', async () => {
    const store = await openStore()
    await store.append(pageCapture('http://a.test/', start, pageText(1, 3_000), { request }))
    const { file } = await exported(store, { format: 'warc' })
    const [name] = (await readdir(join(store.folder, 'volumes'))).filter((one) => one.endsWith('.gz'))
    const volume = await readFile(join(store.folder, 'volumes', name!))
    const [volumeInfo, fileInfo] = await Promise.all([volume, file].map(firstLength))
    assert.deepEqual(file.subarray(fileInfo), volume.subarray(volumeInfo))
  })

  test('what other tools wrote goes through unchanged', async () => {
    const store = await openStore()
    for (const name of ['wget-gzip.warc.gz', 'wget-dedup.warc.gz'])
      await store.import(sourceOf(await recordFixture(name)))
    const { file, result } = await exported(store, { format: 'warc' })
    assert.equal(result.failed, 0)
    await judged(file)
    const fresh = await openStore()
    await fresh.import(sourceOf(file))
    assert.deepEqual(await contentsOf(fresh), await contentsOf(store))
  })
})

describe('a part of the captures', () => {
  test('revisits of captures outside become full responses', async () => {
    const store = await variedStore()
    const { file, result } = await exported(store, {
      format: 'warc',
      selection: { kind: 'site', site: 'b.test' },
    })
    assert.deepEqual([result.exported, result.revisits], [2, 0])
    const seen = await judged(file)
    assert.deepEqual(seen.slice(1), ['response http://b.test/chunked', 'response http://b.test/copy'])
    const fresh = await openStore()
    await fresh.import(sourceOf(file))
    const whole = (await contentsOf(store)) as { url: string }[]
    assert.deepEqual(
      await contentsOf(fresh),
      whole.filter(({ url }) => url.startsWith('http://b.test/')),
    )
  })

  test('a 304 brings the capture that it repeats, once', async () => {
    const store = await variedStore()
    const { file, result } = await exported(store, {
      format: 'warc',
      selection: { kind: 'url', url: 'http://a.test/news' },
      fromMs: start + 10 * day,
    })
    assert.deepEqual([result.exported, result.revisits, result.failed], [3, 2, 0])
    const fresh = await openStore()
    await fresh.import(sourceOf(file))
    const payloads = await Promise.all(
      [...fresh.scan({ kind: 'all' })].map(async (capture) => textOf((await fresh.read(capture)).payload())),
    )
    assert.equal(new Set(payloads).size, 1)
    assert.match(payloads[0]!, /data-version="3"/)
  })

  test('a payload that was chunked no longer says so when it is written out', async () => {
    const store = await variedStore()
    const { file } = await exported(store, {
      format: 'warc',
      selection: { kind: 'url', url: 'http://a.test/copy' },
    })
    const items = await Array.fromAsync(readWarc(single(file)))
    const block =
      items[1]!.kind === 'record' ? Buffer.from(items[1]!.record.block as Uint8Array).toString() : ''
    assert.match(block, /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*X-Copy: yes\r\n\r\n<html>/)
    assert.doesNotMatch(block, /transfer-encoding/i)
  })

  test('by host, prefix and time', async () => {
    const store = await variedStore()
    const urls = async (options: Omit<ExportOptions, 'format'>) => {
      const { file } = await exported(store, { format: 'warc', ...options })
      return (await judged(file))
        .slice(1)
        .filter((one) => !/^(?:request|metadata)/.test(one))
        .map((one) => one.split(' ')[1])
    }
    assert.deepEqual(await urls({ selection: { kind: 'prefix', url: 'http://a.test/c' } }), [
      'http://a.test/copy',
    ])
    assert.equal((await urls({ selection: { kind: 'host', host: 'c.test' } })).length, 4)
    assert.equal((await urls({ fromMs: start + day, toMs: start + 2 * day })).length, 2)
    assert.deepEqual(await urls({ selection: { kind: 'url', url: 'http://nowhere.test/' } }), [])
  })
})

describe('what cannot be exported', () => {
  test('is left out and listed, and the rest goes on', async () => {
    const store = await openStore({ cacheBytes: 0 })
    for (const i of [0, 1, 2])
      await store.append(pageCapture(`http://a.test/${i}`, start, pageText(i, 3_000)))
    await store.append({
      url: parseUrl('http://a.test/dangling'),
      capturedAtMs: start,
      block: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
      revisit: { kind: 'same', of: undefined, payloadDigest: digestOf('sha256', 'never seen') },
    })
    const [name] = (await readdir(join(store.folder, 'volumes'))).filter((one) => one.endsWith('.gz'))
    const path = join(store.folder, 'volumes', name!)
    const volume = await readFile(path)
    const middle = volume.indexOf(Buffer.from([0x1f, 0x8b, 0x08]), volume.length / 2)
    volume[middle - 300]! ^= 0xff
    await writeFile(path, volume)
    const { file, result } = await exported(store, { format: 'warc' })
    assert.deepEqual([result.exported, result.failed], [3, 1])
    assert.deepEqual(
      result.problems.map(({ code }) => code),
      ['store-content-damaged'],
    )
    assert.equal((await judged(file)).length, 4)
  })

  test.each(['warc', 'wacz'] as const)(
    'a revisit of what is nowhere is no failure in %s: it is kept as it is',
    async (format) => {
      const store = await openStore()
      const payloadDigest = digestOf('sha256', 'never seen')
      await store.append({
        url: parseUrl('http://a.test/dangling'),
        capturedAtMs: start,
        block: Buffer.from('HTTP/1.1 200 OK\r\nX-Own: head\r\n\r\n'),
        revisit: { kind: 'same', of: { url: 'http://b.test/', capturedAtMs: start }, payloadDigest },
      })
      const { file, result } = await exported(store, { format })
      assert.deepEqual([result.exported, result.failed], [1, 0])
      if (format === 'wacz') return
      for await (const item of readWarc(chunksOf(file))) {
        assert.ok(item.kind === 'record')
        if (typeOf(item.record) === 'warcinfo') continue
        const { fields, block } = item.record
        assert.equal(typeOf(item.record), 'revisit')
        assert.equal(fields.get('WARC-Payload-Digest'), printDigest(payloadDigest))
        assert.equal(fields.get('WARC-Refers-To-Target-URI'), 'http://b.test/')
        assert.match(Buffer.from(block as Uint8Array).toString(), /X-Own: head/)
      }
    },
  )

  test('a record that only its checksum speaks for is not exported when it is wrong', async () => {
    const store = await openStore({ compression: uncompressed })
    await store.append(pageCapture('http://a.test/', start, 'sound', { request }))
    await store.append(pageCapture('http://b.test/', start, 'sound too', { request }))
    const [name] = (await readdir(join(store.folder, 'volumes'))).filter((one) => one.endsWith('.warc'))
    const path = join(store.folder, 'volumes', name!)
    const volume = await readFile(path)
    volume[volume.indexOf('Host: a.test')]! ^= 1
    await writeFile(path, volume)
    const { result } = await exported(store, { format: 'warc' })
    assert.deepEqual(
      result.problems.map(({ url, code }) => [url, code]),
      [['http://a.test/', 'store-content-damaged']],
    )
  })

  test('an export can be called off', async () => {
    const store = await variedStore()
    const abort = new AbortController()
    const { chunks } = store.export({
      format: 'wacz',
      signal: abort.signal,
      whenProgress: () => abort.abort(new Error('enough')),
    })
    await assert.rejects(bytesOf(chunks), /enough/)
  })
})

async function firstLength(file: Uint8Array): Promise<number> {
  for await (const item of readWarc(single(file))) {
    assert(item.kind === 'record' && typeOf(item.record) === 'warcinfo')
    return item.length!
  }
  throw new Error('empty')
}

describe('answers that came chunked', () => {
  const chunks = (...parts: string[]) =>
    `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
  const headers = ['Transfer-Encoding: chunked']

  test('are exported in one piece, so that whoever replays a revisit of them shows the same bytes', async () => {
    const store = await openStore()
    const body = 'x'.repeat(500)
    const url = 'http://a.test/'
    await store.append(pageCapture(url, start, chunks(body, 'end'), { headers }))
    await store.append(pageCapture(url, start + day, chunks(body, 'end'), { headers }))
    const file = await bytesOf(store.export({ format: 'warc' }).chunks)
    const seen: string[] = []
    for await (const item of readWarc(chunksOf(file))) {
      assert.ok(item.kind === 'record')
      const { fields, block } = item.record
      if (typeOf(item.record) === 'warcinfo') continue
      const text = Buffer.from(block as Uint8Array).toString()
      seen.push(typeOf(item.record)!)
      assert.doesNotMatch(text, /transfer-encoding/i)
      const [, payload] = text.split('\r\n\r\n')
      if (typeOf(item.record) === 'revisit') assert.equal(payload, '')
      else {
        assert.equal(payload, `${body}end`)
        // As `warcio check` has it: of the body as it stands in the record.
        assert.equal(fields.get('WARC-Payload-Digest'), printDigest(digestOf('sha256', payload!)))
        assert.equal(fields.get('WARC-Block-Digest'), printDigest(digestOf('sha256', text)))
      }
    }
    assert.deepEqual(seen, ['response', 'revisit'])
  })
})

test('redirects are written whole: whoever replays a revisit of one leaves out its content', async () => {
  const store = await openStore()
  const url = 'http://a.test/moved'
  const moved = { status: 302, headers: ['Location: http://a.test/'] }
  await store.append(pageCapture(url, start, '<p>Moved', moved))
  await store.append(pageCapture(url, start + day, '<p>Moved', moved))
  await store.append(pageCapture('http://a.test/not-moved', start + day, '<p>Moved'))
  const { file, result } = await exported(store, { format: 'warc' })
  assert.deepEqual([result.exported, result.revisits], [3, 1])
  assert.deepEqual((await judged(file)).slice(1), [
    `response ${url}`,
    `response ${url}`,
    'revisit http://a.test/not-moved',
  ])
  const fresh = await openStore()
  await fresh.import(sourceOf(file))
  assert.deepEqual(await contentsOf(fresh), await contentsOf(store))
})

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
