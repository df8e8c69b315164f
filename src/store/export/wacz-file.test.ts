import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { ZipFile } from 'yazl'
import { encodePageInfo } from '../../formats/warc/page-info.ts'
import { viewTarget, viewUrl } from '../../formats/warc/page-views.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import { recordFixture, sourceOf } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import { validWacz } from '../fixtures/wacz-validator.ts'
import type { Store } from '../store.ts'
import type { ExportOptions } from './exporter.ts'

const start = Date.parse('2024-01-01T00:00:00Z')

async function wacz(store: Store, options: Partial<ExportOptions> = {}): Promise<Buffer> {
  return bytesOf(store.export({ format: 'wacz', ...options }).chunks)
}

async function keepInfo(store: Store, page: Url, capturedAtMs: number, block: Uint8Array): Promise<void> {
  const targetUri = viewTarget(page.href, 'pageinfo')
  const url = viewUrl(page, 'pageinfo')!
  await store.append({ url, targetUri, capturedAtMs, contentType: 'application/json', block })
}

describe('a WACZ', () => {
  test('is valid, and its pages have titles', async () => {
    const store = await openStore()
    await store.append(pageCapture('http://b.test/', start, '<title>Caf&eacute; &amp; B&#228;r</title>'))
    await store.append(
      pageCapture('http://a.test/', start + 1, gzipSync('<html><title>\n Zipped \n page</title>'), {
        headers: ['Content-Encoding: gzip'],
      }),
    )
    await store.append(pageCapture('http://a.test/none', start, 'no title'))
    await store.append(pageCapture('http://a.test/gone', start, '<title>Gone</title>', { status: 404 }))
    await store.append(pageCapture('http://a.test/', start + 2, '<title>Second</title>'))
    await store.append(pageCapture('http://a.test/again', start + 2, '<title>Second</title>'))
    const file = await wacz(store, {
      title: 'A title',
      description: 'What it is',
      mainPageUrl: 'http://a.test/',
    })
    const { lines, pages, manifest } = await validWacz(file)
    assert.equal(lines.length, 6)
    assert.deepEqual(
      new Map(pages.map(({ url, ts, title }) => [`${url} ${ts}`, title])),
      new Map([
        ['http://a.test/ 2024-01-01T00:00:00.001Z', 'Zipped page'],
        ['http://a.test/ 2024-01-01T00:00:00.002Z', 'Second'],
        ['http://a.test/again 2024-01-01T00:00:00.002Z', 'Second'],
        ['http://a.test/none 2024-01-01T00:00:00Z', undefined],
        ['http://b.test/ 2024-01-01T00:00:00Z', 'Café & Bär'],
      ]),
    )
    assert.equal(manifest.title, 'A title')
    assert.equal(manifest.mainPageUrl, 'http://a.test/')
    assert.deepEqual(await readdir(join(store.folder, 'spool')).catch(() => []), [])
  })

  test('keeps 304s in its WARC file but not in its index: others would replay an empty answer', async () => {
    const store = await openStore()
    const url = 'http://a.test/'
    await store.append(pageCapture(url, start, pageText(1, 5_000)))
    await store.append({
      url: parseUrl(url),
      capturedAtMs: start + 1_000,
      block: Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'),
      revisit: { kind: 'not-modified', of: { url, capturedAtMs: start } },
    })
    const file = await wacz(store)
    const { lines } = await validWacz(file)
    assert.deepEqual(
      lines.map(({ timestamp, status }) => [timestamp, status]),
      [['20240101000000', 200]],
    )
    const other = await openStore()
    await other.import(sourceOf(file))
    const statuses = [...other.scan({ kind: 'all' })].map(({ status }) => status)
    assert.deepEqual(statuses, [200, 304])
  })

  test('says what became of the parts of pages that a browser showed, also after an import', async () => {
    const store = await openStore()
    const page = parseUrl('http://a.test/')
    await store.append(pageCapture(page.href, start, '<title>Shell</title>'))
    const part = { status: 0, code: 'timeout', reason: 'it took too long' }
    const parts = [
      { name: 'http://a.test/app.js', fate: 'kept', status: 200 },
      { name: 'http://b.test/data', fate: 'failed', ...part },
      {
        name: 'http://c.test/',
        fate: 'refused',
        status: 0,
        code: 'robots',
        reason: 'robots.txt: Disallow: /',
      },
    ] as const
    await keepInfo(store, page, start, encodePageInfo({ url: page.href, title: 'After', links: [], parts }))
    const other = parseUrl('http://b.test/')
    await store.append(pageCapture(other.href, start + 5, '<title>Whole</title>'))
    const whole = [{ name: 'http://b.test/app.js', fate: 'kept', status: 200 }] as const
    const info = { url: other.href, title: 'Whole', links: [], parts: whole, shownBy: 'peer-1' }
    await keepInfo(store, other, start + 5, encodePageInfo(info))
    await keepInfo(store, parseUrl('http://d.test/'), start, Buffer.from('{"urls":'))
    const file = await wacz(store)
    const { manifest, files } = await validWacz(file)
    const totals = { pages: 2, complete: 1, kept: 2, refused: 1, failed: 1 }
    assert.deepEqual(manifest.parts, { path: 'reports/parts.jsonl', ...totals })
    const report = files.get('reports/parts.jsonl')!.toString()
    const [head, ...lines] = report
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(head.format, 'page-parts-1.0')
    const [first, second] = lines.sort(({ url: one }, { url: two }) => (one < two ? -1 : 1))
    assert.deepEqual(first, {
      ...{ url: 'http://a.test/', ts: '2024-01-01T00:00:00.000Z', kept: 1, refused: 1, failed: 1 },
      missing: [
        { url: 'http://b.test/data', outcome: 'failed', error: 'timeout', reason: 'it took too long' },
        { url: 'http://c.test/', outcome: 'refused', error: 'robots', reason: 'robots.txt: Disallow: /' },
      ],
    })
    assert.deepEqual([second.url, second.missing, second.shownBy], ['http://b.test/', [], 'peer-1'])
    const elsewhere = await openStore()
    await elsewhere.import(sourceOf(file))
    const again = await validWacz(await wacz(elsewhere))
    assert.equal(again.files.get('reports/parts.jsonl')!.toString(), report)
  })

  test('of pages that no browser showed has no report about their parts', async () => {
    const store = await openStore()
    await store.append(pageCapture('http://a.test/', start, '<title>Plain</title>'))
    const { manifest, files } = await validWacz(await wacz(store))
    assert.deepEqual([manifest.parts, files.has('reports/parts.jsonl')], [undefined, false])
  })

  test('of nothing is valid too', async () => {
    const { lines, pages } = await validWacz(await wacz(await openStore()))
    assert.deepEqual([lines, pages], [[], []])
  })

  test('with many captures has a compressed index, sorted across sites', async () => {
    const store = await openStore({ deltaChainMax: 0 })
    await Promise.all(
      Array.from({ length: 3_100 }, (_, i) =>
        store.append(
          pageCapture(`http://site${i % 40}.test/${i % 7}?q=${i % 900}`, start + i * 300, `page ${i % 50}`),
        ),
      ),
    )
    const { lines, files } = await validWacz(await wacz(store))
    assert.equal(lines.length, 3_100)
    assert(files.has('indexes/index.idx') && !files.has('indexes/index.cdx'))
  })

  test('made here is imported again whole', async () => {
    const store = await openStore()
    await store.import(sourceOf(await recordFixture('wget-gzip.warc.gz')))
    await store.append(pageCapture('http://a.test/', start, pageText(1, 5_000)))
    const file = await wacz(store)
    const other = await openStore()
    const result = await other.import(sourceOf(file))
    assert.equal(result.format, 'wacz')
    assert.equal(result.problemCount, 0)
    assert.equal((await other.stat()).captures, (await store.stat()).captures)
    assert.equal((await other.import(sourceOf(file))).wasDone, true)
    const again = await other.import(sourceOf(file), { again: true })
    assert.equal(again.kept, 0)
  })
})

describe('a WACZ of another tool', () => {
  async function zipOf(files: Record<string, Uint8Array | string>, compress: boolean): Promise<Buffer> {
    const zip = new ZipFile()
    for (const [path, bytes] of Object.entries(files)) zip.addBuffer(Buffer.from(bytes), path, { compress })
    zip.end()
    return bytesOf(zip.outputStream as unknown as AsyncIterable<Uint8Array>)
  }

  for (const compress of [false, true]) {
    test(`several WARC files, ${compress ? 'deflated against the rules' : 'stored'}; wrong digests are reported`, async () => {
      const warc = await recordFixture('wget-gzip.warc.gz')
      const plain = await recordFixture('wget-plain.warc')
      const manifest = JSON.stringify({
        resources: [
          { path: 'archive/a.warc.gz', hash: `sha256:${'0'.repeat(64)}` },
          { path: 'pages/pages.jsonl', hash: `sha256:${'1'.repeat(64)}` },
          { path: 'indexes/index.cdx', hash: `sha256:${'2'.repeat(64)}` },
        ],
      })
      const digest = JSON.stringify({ path: 'datapackage.json', hash: `sha256:${'3'.repeat(64)}` })
      const file = await zipOf(
        {
          'archive/a.warc.gz': warc,
          'archive/b.warc': plain,
          'pages/pages.jsonl': '{}\n',
          'datapackage.json': manifest,
          'datapackage-digest.json': digest,
        },
        compress,
      )
      const store = await openStore()
      const result = await store.import(sourceOf(file))
      assert.deepEqual(result.problems.map(({ kind, part }) => `${kind} ${part}`).sort(), [
        'package archive/a.warc.gz',
        'package datapackage.json',
        'package indexes/index.cdx',
        'package pages/pages.jsonl',
      ])
      assert.equal(result.doneBytes, warc.length + plain.length)
      const separate = await openStore()
      for (const one of [warc, plain]) await separate.import(sourceOf(one))
      assert.equal((await store.stat()).captures, (await separate.stat()).captures)
      for (const capture of store.scan({ kind: 'all' })) await textOf((await store.read(capture)).payload())
    })
  }

  test('a manifest that is broken, a name that is there twice and a part without records are reported', async () => {
    const zip = new ZipFile()
    const warc = await recordFixture('wget-gzip.warc.gz')
    zip.addBuffer(Buffer.from('{"resources": [nul'), 'datapackage.json')
    zip.addBuffer(warc, 'archive/a.warc.gz')
    zip.addBuffer(warc, 'archive/a.warc.gz')
    zip.addBuffer(Buffer.alloc(100), 'archive/b.warc')
    zip.end()
    const file = await bytesOf(zip.outputStream as unknown as AsyncIterable<Uint8Array>)
    const { problems, kept } = await (await openStore()).import(sourceOf(file))
    assert.ok(kept > 0)
    assert.deepEqual(
      problems.map(({ part, message }) => `${part}: ${message.replace(/:.*/, '')}`),
      [
        'archive/a.warc.gz: It is in the ZIP file twice',
        'datapackage.json: It cannot be understood',
        'archive/b.warc: There is no record in it.',
      ],
    )
  })

  test('interrupted in its second file it goes on there', async () => {
    const page = (name: string) => async (i: number) => {
      const { foreignRecord } = await import('../fixtures/archive-source.ts')
      return foreignRecord(
        'response',
        {
          'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-${name}${String(i).padStart(11, '0')}>`,
          'WARC-Date': '2024-01-01T00:00:00Z',
          'WARC-Target-URI': `http://${name}.test/${i}`,
        },
        `HTTP/1.1 200 OK\r\n\r\npage ${name} ${i}`,
      )
    }
    const parts = await Promise.all(
      ['a', 'b'].map(async (name) =>
        Buffer.concat(await Promise.all(Array.from({ length: 300 }, (_, i) => page(name)(i)))),
      ),
    )
    const file = await zipOf({ 'archive/a.warc.gz': parts[0]!, 'archive/b.warc.gz': parts[1]! }, false)
    const store = await openStore()
    const abort = new AbortController()
    const whenProgress = ({ kept }: { kept: number }) => {
      if (kept === 450) abort.abort(new Error('enough'))
    }
    await assert.rejects(store.import(sourceOf(file), { signal: abort.signal, whenProgress }), /enough/)
    const result = await store.import(sourceOf(file))
    assert.ok(result.resumedAtBytes > parts[0]!.length)
    assert.equal((await store.stat()).captures, 600)
  })
})
