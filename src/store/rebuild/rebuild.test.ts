import assert from 'node:assert/strict'
import { appendFile, copyFile, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { uncompressed, zstd } from '../../formats/warc/compression/compression.ts'
import { parseUrl } from '../../model/url/url.ts'
import { realCompressor } from '../../platform/real/compression/compressor.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { recordFixture, sourceOf } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, sampleOptions, textOf } from '../fixtures/sample-captures.ts'
import { StoreIndex } from '../index/store-index.ts'
import { Store } from '../store.ts'
import { type RebuildOptions, rebuildIndex } from './rebuild.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')
const needs = { ...localWorld(), compressor: realCompressor }

/** Everything that an index says of captures, contents, records, volumes and totals. */
async function entriesOf(folder: string): Promise<unknown> {
  const map = await needs.keyValues.open(join(folder, 'index'))
  const index = new StoreIndex(map, folder)
  const entries = {
    // When copies came is not in the volumes: see index/same-second.ts.
    captures: [...index.captures({})].map(([key, entry]) => [key, { ...entry, heardAtMs: undefined }]),
    contents: [...index.contents()],
    records: [...index.records()],
    elsewhere: [...index.elsewhere.range()],
    volumes: [...index.volumes()],
    folders: [...index.folders()],
    totals: index.note('totals'),
    nextVolume: index.note('nextVolume'),
  }
  await map.close()
  return entries
}

async function rebuilt(folder: string, options: Partial<RebuildOptions> = {}) {
  const { indexBytesMax, volumeBytesMax } = sampleOptions
  return rebuildIndex(needs, folder, { indexBytesMax, volumeBytesMax, ...options })
}

async function fill(store: Store): Promise<void> {
  let text = pageText(7, 20_000)
  for (let version = 0; version < 25; version++) {
    text = text.replace('<p', `<p data-version="${version}"`)
    await store.append(
      pageCapture('http://a.test/news', start + version * day, text, {
        request: Buffer.from('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'),
        metadata: [['via', 'http://a.test/']],
      }),
    )
  }
  await store.append(pageCapture('http://b.test/copy', start, text))
  await store.append({
    url: parseUrl('http://a.test/news'),
    capturedAtMs: start + 50 * day,
    block: Buffer.from('HTTP/1.1 304 Not Modified\r\n\r\n'),
    revisit: { kind: 'not-modified', of: { url: 'http://a.test/news', capturedAtMs: start + 24 * day } },
  })
  await store.append({
    url: parseUrl('http://c.test/x.png'),
    capturedAtMs: start,
    block: Buffer.alloc(900, 'png'),
    contentType: 'image/png',
  })
  const large = Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n'),
    Buffer.alloc(5_000_000, text),
  ])
  await store.append({ url: parseUrl('http://c.test/large'), capturedAtMs: start, block: large })
  await store.append(
    pageCapture('http://c.test/twice', start, 'same bytes', {
      request: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    }),
  )
  await store.append(pageCapture('http://c.test/twice', start + 1, 'same bytes'), { mode: 'force-new' })
  await store.put(Buffer.from('bytes alone'))
  await store.put(Buffer.alloc(3_000_000, 'many bytes alone'))
  await store.import(sourceOf(await recordFixture('wget-gzip.warc.gz')))
}

describe('a rebuilt index', () => {
  for (const [name, compression] of Object.entries({
    gzip: sampleOptions.compression,
    zstd,
    plain: uncompressed,
  })) {
    test(`says what the old one said, from ${name} volumes`, async () => {
      const options = { compression, volumeBytesMax: 8_000 }
      const store = await openStore(options)
      await fill(store)
      const { folder } = store
      await store.close()
      const before = await entriesOf(folder)
      const report = await rebuilt(folder, { volumeBytesMax: 8_000 })
      assert.deepEqual([report.damagedCount, report.waiting], [0, 0])
      assert.ok(report.volumes > 2)
      assert.deepEqual(await entriesOf(folder), before)
      assert.ok((await stat(report.oldIndex!)).isDirectory())
      const again = await openStore(options, folder)
      assert.deepEqual(await again.checkIndex(), [])
      for (const capture of again.scan({ kind: 'all' })) await bytesOf((await again.read(capture)).payload())
      assert.equal((await again.append(pageCapture('http://new.test/', start, 'new'))).outcome, 'kept')
    })
  }

  test('does without the old one: a store whose index is gone refuses to start empty, and is made whole', async () => {
    const store = await openStore()
    await fill(store)
    await store.close()
    await rm(join(store.folder, 'index'), { recursive: true })
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(Store.open(needs, store.folder, sampleOptions), { code: 'store-index-missing' })
    }
    await rebuilt(store.folder)
    const again = await openStore({}, store.folder)
    const newest = again.newestNotNewer(parseUrl('http://a.test/news'), start + 24 * day)
    assert.match(await textOf((await again.read(newest!)).payload()), /data-version="24"/)
    assert.deepEqual(await again.checkIndex(), [])
  })

  test('leaves out a torn end, and the store goes on behind what is sound', async () => {
    const store = await openStore()
    await store.append(pageCapture('http://a.test/1', start, pageText(1, 2_000)))
    await store.close()
    const folder = join(store.folder, 'volumes')
    const [name] = (await readdir(folder)).filter((one) => one.endsWith('.gz'))
    const sound = await readFile(join(folder, name!))
    await appendFile(join(folder, name!), sound.subarray(sound.length - 400, sound.length - 20))
    const report = await rebuilt(store.folder)
    assert.equal(report.damagedCount, 1)
    const again = await openStore({}, store.folder)
    assert.equal((await stat(join(folder, name!))).size, sound.length)
    await again.append(pageCapture('http://a.test/2', start, 'two'))
    assert.deepEqual(await again.checkIndex(), [])
    assert.equal((await again.stat()).captures, 2)
  })

  test('tells of damage within a volume and keeps the rest, deltas of what is lost aside', async () => {
    const store = await openStore()
    const text = pageText(7, 20_000)
    await store.append(pageCapture('http://a.test/', start, text))
    await store.append(pageCapture('http://a.test/', start + day, text.replace('<p', '<p id="x"')))
    await store.append(pageCapture('http://b.test/', start, pageText(8, 3_000)))
    await store.close()
    const folder = join(store.folder, 'volumes')
    const [name] = (await readdir(folder)).filter((one) => one.endsWith('.gz'))
    const volume = await readFile(join(folder, name!))
    volume[1_500]! ^= 0xff
    await writeFile(join(folder, name!), volume)
    const report = await rebuilt(store.folder)
    assert.equal(report.damagedCount, 2)
    const again = await openStore({}, store.folder)
    assert.deepEqual(
      [...again.scan({ kind: 'all' })].map(({ url }) => url),
      ['http://b.test/'],
    )
    assert.deepEqual(await again.checkIndex(), [])
  })

  test('does not count twice what a crash while records were moved left twice', async () => {
    const store = await openStore()
    await fill(store)
    const { captures, distinctPayloads } = await store.stat()
    await store.close()
    const folder = join(store.folder, 'volumes')
    const [name] = (await readdir(folder)).filter((one) => one.endsWith('.gz'))
    await copyFile(join(folder, name!), join(folder, name!.replace('-00001-', '-00002-')))
    const report = await rebuilt(store.folder)
    assert.deepEqual(
      [report.captures, report.distinctPayloads, report.volumes],
      [captures, distinctPayloads, 2],
    )
    assert.deepEqual(await (await openStore({}, store.folder)).checkIndex(), [])
  })

  test('does not bring back what was taken down', async () => {
    const store = await openStore()
    await fill(store)
    await store.takedown({ kind: 'site', site: 'a.test' }, 'by order')
    await store.close()
    const report = await rebuilt(store.folder)
    assert.ok(report.captures > 20)
    const again = await openStore({}, store.folder)
    assert.equal([...again.scan({ kind: 'site', site: 'a.test' })].length, 0)
    assert.equal([...again.versions(parseUrl('http://b.test/copy'))].length, 1)
    assert.deepEqual(await again.checkIndex(), [])
  })

  test('of a store that was compacted has every capture, and no copy twice', async () => {
    const store = await openStore({ volumeBytesMax: 30_000 })
    await fill(store)
    await store.takedown({ kind: 'url', url: 'http://c.test/large' })
    await store.compact()
    const captures = [...store.scan({ kind: 'all' })].map(({ url, capturedAtMs, content, mime }) => ({
      url,
      capturedAtMs,
      content,
      mime,
    }))
    await store.close()
    await rebuilt(store.folder, { volumeBytesMax: 30_000 })
    const again = await openStore({}, store.folder)
    assert.deepEqual(
      [...again.scan({ kind: 'all' })].map(({ url, capturedAtMs, content, mime }) => ({
        url,
        capturedAtMs,
        content,
        mime,
      })),
      captures,
    )
    for (const capture of again.scan({ kind: 'all' })) await bytesOf((await again.read(capture)).payload())
    assert.deepEqual(await again.checkIndex(), [])
  })

  test('does not take for a put what compaction kept of a capture that was taken down', async () => {
    const options = { compression: uncompressed, volumeBytesMax: 2_000 }
    const store = await openStore(options)
    const shared = pageText(3, 3_000)
    const alone = pageText(4, 3_000)
    for (const [path, text] of Object.entries({ shared, alone })) {
      await store.append(pageCapture(`http://gone.test/${path}`, start, text))
      await store.append(pageCapture(`http://stays.test/${path}`, start + 1, text))
    }
    const wasPut = await store.put(Buffer.from(alone))
    await store.takedown({ kind: 'site', site: 'gone.test' })
    await store.compact()
    const before = await store.stat()
    await store.close()
    await rebuilt(store.folder, options)
    const again = await openStore(options, store.folder)
    assert.deepEqual(await again.checkIndex(), [])
    const { bytes, distinctPayloads } = await again.stat()
    assert.deepEqual([bytes.original, distinctPayloads], [before.bytes.original, before.distinctPayloads])
    const [held] = again.versions(parseUrl('http://stays.test/shared'))
    assert.equal(await textOf((await again.read(held!)).payload()), shared)
    await assert.rejects(again.delete(held!.content!), { code: 'store-not-found' })
    await again.delete(wasPut)
    await again.close()
    // With the captures that need it, it goes.
    const folder = join(store.folder, 'volumes')
    for (const name of (await readdir(folder)).filter((one) => one.endsWith('.warc')))
      if ((await readFile(join(folder, name), 'latin1')).includes('http://stays.test/shared'))
        await rm(join(folder, name))
    await rebuilt(store.folder, options)
    const last = await openStore(options, store.folder)
    assert.deepEqual(last.has([held!.content!.digest, wasPut.digest]), [false, true])
    assert.deepEqual(await last.checkIndex(), [])
  })

  test('knows volumes in other folders from the old index, from what is noted beside it, or from whoever asks', async () => {
    const store = await openStore()
    const other = join(store.folder, 'elsewhere')
    await store.volumes.setFolder(other, 'writable')
    await store.append(pageCapture('http://a.test/', start, 'one'), { folder: other })
    await store.append(pageCapture('http://b.test/', start, 'two'), { folder: join(store.folder, 'volumes') })
    await store.close()
    assert.equal((await rebuilt(store.folder)).captures, 2)
    await rm(join(store.folder, 'index'), { recursive: true })
    assert.equal((await rebuilt(store.folder)).captures, 2)
    await rm(join(store.folder, 'index'), { recursive: true })
    await rm(join(store.folder, 'volume-folders.json'))
    assert.equal((await rebuilt(store.folder)).captures, 1)
    assert.equal(
      (await rebuilt(store.folder, { folders: [join(store.folder, 'volumes'), other] })).captures,
      2,
    )
  })

  test('knows which payloads other peers keep', async () => {
    const store = await openStore()
    const elsewhere = async () => ({ url: 'http://other.test/', capturedAtMs: start })
    const { capture } = await store.append(pageCapture('http://a.test/', start, pageText(8, 5_000)), {
      elsewhere,
    })
    await store.append({
      url: parseUrl('http://a.test/'),
      capturedAtMs: start + day,
      block: Buffer.from('HTTP/1.1 304 Not Modified\r\n\r\n'),
      revisit: { kind: 'not-modified', of: capture },
    })
    await store.close()
    const before = await entriesOf(store.folder)
    await rebuilt(store.folder)
    assert.deepEqual(await entriesOf(store.folder), before)
  })
})

test('a journal that has rotted after a crash costs nothing: the store is not opened, its volumes are not cut, and all is built again', async () => {
  const store = await openStore()
  const urls = Array.from({ length: 20 }, (_, number) => `http://a.test/${number}`)
  for (const url of urls) await store.append(pageCapture(url, start, url))
  // What a process leaves that is killed now.
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-rotten-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(store.folder, folder, { recursive: true })
  const [journal] = (await readdir(join(folder, 'index'))).filter((name) => name.startsWith('journal-'))
  const path = join(folder, 'index', journal!)
  const bytes = await readFile(path)
  const middle = bytes.findLastIndex((byte) => byte !== 0) >> 1
  bytes[middle]! ^= 1
  await writeFile(path, bytes)
  await assert.rejects(Store.open(needs, folder, sampleOptions), { code: 'index-damaged' })
  await rebuilt(folder)
  const again = await openStore({}, folder)
  for (const url of urls) {
    const capture = again.newestNotNewer(parseUrl(url), start)
    assert.equal(await textOf((await again.read(capture!)).payload()), url)
  }
})
