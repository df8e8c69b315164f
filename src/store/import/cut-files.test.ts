// Archives that lost a part, or lie in others: what is there is kept, what is missing is told.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { ZipFile } from 'yazl'
import { type Compression, gzip, uncompressed, zstd } from '../../formats/warc/compression/compression.ts'
import { parseUrl, urlCharsMax } from '../../model/url/url.ts'
import { foreignRecord, sourceOf } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageText, textOf } from '../fixtures/sample-captures.ts'
import type { Store } from '../store.ts'

const date = '2024-01-01T00:00:00Z'
const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'

function page(url: string, number: number, body: string, compression: Compression = gzip): Buffer {
  const fields = {
    'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-${String(number).padStart(12, '0')}>`,
    'WARC-Date': date,
    'WARC-Target-URI': url,
    'Content-Type': 'application/http; msgtype=response',
    // Of other bytes than will be found.
    'WARC-Payload-Digest': 'sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  }
  return foreignRecord('response', fields, head + body, compression)
}

async function payload(store: Store, url: string): Promise<string | undefined> {
  const capture = store.nearest(parseUrl(url), Date.parse(date))
  return capture && textOf((await store.read(capture)).payload())
}

async function exported(store: Store): Promise<string> {
  const { chunks } = store.export({ selection: { kind: 'all' }, format: 'warc' })
  const again = await openStore({ compression: uncompressed })
  await again.import(sourceOf(await bytesOf(chunks)))
  const [capture] = again.scan({ kind: 'url', url: 'http://a.test/last' })
  return Buffer.from((await again.give(capture!.cursor)) as Uint8Array).toString('latin1')
}

// Hardly compressible, or half of the file would be all of the page.
const noiseOf = (lines: number) =>
  Array.from({ length: lines }, (_, line) => hash('sha256', String(line), 'hex')).join('')
const noise = noiseOf(5_000)
const large = noiseOf(25_000)

describe('the last record of a cut file', () => {
  test.each([
    ['plain', uncompressed, noise],
    ['gzip', gzip, noise],
    ['zstd', zstd, noise],
    ['plain, too large for memory', uncompressed, large],
    ['gzip, too large for memory', gzip, large],
  ] as const)('is kept as far as it goes, and marked: %s', async (_, compression, body) => {
    const first = page('http://a.test/first', 1, 'first', compression)
    const last = page('http://a.test/last', 2, body, compression)
    const file = Buffer.concat([first, last.subarray(0, last.length / 2)])
    const store = await openStore()
    const result = await store.import(sourceOf(file))
    assert.deepEqual([result.kept, result.damaged], [2, 1])
    const found = (await payload(store, 'http://a.test/last'))!
    assert.ok(body.startsWith(found))
    assert.ok(found.length > body.length / 4 && found.length < body.length, String(found.length))
    assert.match(await exported(store), /WARC-Truncated: unspecified/)
    // Once more, nothing is new; and the whole record is another one.
    assert.deepEqual([(await store.import(sourceOf(file))).kept, (await store.stat()).captures], [0, 2])
    assert.equal((await store.import(sourceOf(last))).kept, 1)
  })

  test('is kept of an ARC file too', async () => {
    const line = `http://a.test/last 192.0.2.7 20240101000000 text/html ${head.length + noise.length}\n`
    const file = Buffer.from(
      `filedesc://x.arc 0.0.0.0 19990101000000 text/plain 8\n1 0 Test\n\n${line}${head}${noise}`,
    )
    const store = await openStore()
    const result = await store.import(sourceOf(file.subarray(0, file.length - 1_000)))
    assert.deepEqual([result.kept, result.damaged], [1, 1])
    assert.equal(await payload(store, 'http://a.test/last'), noise.slice(0, -1_000))
  })

  test('is lost where not even its HTTP head is whole, and told', async () => {
    const last = page('http://a.test/last', 2, 'x', uncompressed)
    const store = await openStore()
    const result = await store.import(sourceOf(last.subarray(0, last.length - 20)))
    assert.deepEqual([result.kept, result.damaged, result.problemCount], [0, 1, 1])
  })
})

describe('zero bytes between records', () => {
  test('are told and counted where they are more than padding', async () => {
    const [one, two] = [page('http://a.test/1', 1, 'one'), page('http://a.test/2', 2, 'two')]
    for (const [zeros, damaged] of [
      [100, 0],
      [4_096, 1],
    ] as const) {
      const store = await openStore()
      const file = Buffer.concat([one, Buffer.alloc(zeros), two])
      const result = await store.import(sourceOf(file))
      assert.deepEqual([result.kept, result.damaged], [2, damaged])
      const [problem] = result.problems.filter(({ kind }) => kind === 'damage')
      if (damaged > 0) {
        assert.match(problem!.message, /^4096 zero bytes where records should be/)
        assert.equal(problem!.offset, one.length)
      }
    }
  })

  test('are told at the end of a file', async () => {
    const store = await openStore()
    const file = Buffer.concat([page('http://a.test/1', 1, 'one'), Buffer.alloc(1_000_000)])
    assert.equal((await store.import(sourceOf(file))).damaged, 1)
  })
})

async function zipped(files: Readonly<Record<string, Buffer>>, size?: 'known'): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [path, bytes] of Object.entries(files)) {
    if (size === 'known') zip.addBuffer(bytes, path, { compress: false })
    else zip.addReadStream(Readable.from([bytes]), path, { compress: false })
  }
  zip.end()
  return bytesOf(zip.outputStream as AsyncIterable<Uint8Array> as never)
}

function archive(name: string, number: number): Record<string, Buffer> {
  return {
    [`archive/${name}.warc.gz`]: Buffer.concat([
      page(`http://a.test/${name}`, number, `${name} whole`),
      page(`http://a.test/${name}/more`, number + 1, pageText(number, 3_000)),
    ]),
  }
}

describe('a WACZ', () => {
  test.each([undefined, 'known'] as const)(
    'that lost its end gives what there is (size %s)',
    async (size) => {
      const files = { ...archive('one', 1), 'pages/pages.jsonl': Buffer.from('{}\n'), ...archive('two', 3) }
      const whole = await zipped({ ...files, 'datapackage.json': gzipSync('{}') }, size)
      const cutAt = whole.lastIndexOf('archive/two') // in the directory
      const inLast = whole.indexOf('archive/two') + 700
      for (const [end, kept] of [
        [cutAt, 4],
        [inLast, 3],
      ] as const) {
        const store = await openStore()
        const result = await store.import(sourceOf(whole.subarray(0, end)))
        assert.equal(await payload(store, 'http://a.test/two'), 'two whole')
        assert.ok(result.kept >= kept, String(result.kept))
        assert.match(result.problems[0]!.message, /The end of this ZIP file is missing/)
      }
    },
  )

  test('that is no ZIP file at all is still refused', async () => {
    const store = await openStore()
    await assert.rejects(store.import(sourceOf(Buffer.from('PK and nothing of the kind'))), {
      code: 'store-unknown-archive',
    })
  })

  test('of WACZ files is all of them', async () => {
    const inner = await Promise.all([zipped(archive('one', 1)), zipped(archive('two', 3))])
    const store = await openStore()
    const multi = await zipped({ 'a.wacz': inner[0]!, 'b.wacz': inner[1]! })
    const result = await store.import(sourceOf(multi))
    assert.equal(result.kept, 4)
    assert.equal(await payload(store, 'http://a.test/two'), 'two whole')
    assert.ok(
      result.problems.some(({ part }) => part === 'a.wacz/archive/one.warc.gz') || result.damaged === 0,
    )
  })

  test('list is refused with the names of what to import', async () => {
    const list = { profile: 'multi-wacz-package', resources: [{ name: 'a', path: 'https://b.test/a.wacz' }] }
    const store = await openStore()
    await assert.rejects(store.import(sourceOf(Buffer.from(JSON.stringify(list)))), /b\.test\/a\.wacz/)
  })
})

test('URLs of 64 kB are kept, found, exported and imported again', async () => {
  const urls = [urlCharsMax, 30_000].map((length) =>
    `http://a.test/?q=${'a'.repeat(length)}`.slice(0, length),
  )
  const store = await openStore()
  const file = Buffer.concat(urls.map((url, at) => page(url, at, `body ${at}`)))
  assert.equal((await store.import(sourceOf(file))).kept, 2)
  for (const format of ['warc', 'wacz'] as const) {
    const again = await openStore()
    const { chunks } = store.export({ selection: { kind: 'all' }, format })
    assert.equal((await again.import(sourceOf(await bytesOf(chunks)))).kept, 2)
    for (const [at, url] of urls.entries()) assert.equal(await payload(again, url), `body ${at}`)
  }
  assert.deepEqual((await store.scrub()).damaged, [])
})
