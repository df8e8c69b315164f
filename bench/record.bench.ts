// Encodes and decodes WARC records of 15 kB HTML responses, against warcio in the same run. One thread.
//
// Same pages, same gzip level (6, which is what both of warcio's compressors use), same work. Ratios are against warcio
// as it comes, with the platform's CompressionStream; with pako, which it can be told to prefer, it has its own row. Encode: from HTTP head and
// body to the finished member, SHA-256 of block and of payload included. Decode: from the member to fields, HTTP head
// and payload, digests not checked (warcio does not). Both are given members in memory, one by one; `readWarc` and
// warcio's iterator are also given whole files.

import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { WARCParser, WARCRecord, WARCSerializer } from 'warcio'
import { printHttpHead } from '../src/formats/http/http-message.ts'
import { type Compression, gzip, uncompressed, zstd } from '../src/formats/warc/compression/compression.ts'
import { checkDigests } from '../src/formats/warc/digest-check.ts'
import { contentOf } from '../src/formats/warc/payload.ts'
import { readWarc } from '../src/formats/warc/reading/reader.ts'
import { decodeRecord } from '../src/formats/warc/reading/record-decoding.ts'
import type { WarcRecord } from '../src/formats/warc/record.ts'
import { response } from '../src/formats/warc/record-builder.ts'
import { encodeRecord } from '../src/formats/warc/record-encoding.ts'
import { type Contender, type Measurement, measure, printTable } from './measure.ts'

const pageCount = 32
const pageBytes = 15_000
const date = '2024-05-06T07:08:09Z'
const headers: [string, string][] = [
  ['Date', 'Mon, 06 May 2024 07:08:09 GMT'],
  ['Server', 'nginx'],
  ['Content-Type', 'text/html; charset=utf-8'],
  ['Cache-Control', 'max-age=600, public'],
  ['ETag', '"5f3c-1a2b3c4d"'],
  ['Vary', 'Accept-Encoding'],
]

interface Page {
  id: string
  url: string
  body: Buffer
}

export interface RecordBenchmark {
  /** Ours, per record and second, over warcio's. */
  encodeRatio: number
  decodeRatio: number
  fileRatio: number
}

/** `--rounds N`: more rounds, steadier medians. */
export async function run(words: string[] = []): Promise<RecordBenchmark> {
  const { values } = parseArgs({ args: words, options: { rounds: { type: 'string', default: '11' } } })
  const options = { rounds: Number(values.rounds) }
  const pages = Array.from({ length: pageCount }, (_, index) => pageOf(index))
  const groups = [
    [
      ...[gzip, zstd, uncompressed].map((compression) => ourEncode(pages, compression)),
      warcioEncode('encode, gzip, warcio', pages, false),
      warcioEncode('encode, gzip, warcio with pako', pages, true),
    ],
    [
      ...[gzip, zstd, uncompressed].map((compression) => ourDecode(pages, compression)),
      verified(pages),
      await warcioDecode(pages),
    ],
    [ourFile(pages), await warcioFile(pages)],
  ]
  const rows: string[][] = []
  const ratios: number[] = []
  for (const contenders of groups) {
    const results = await measure(contenders, options)
    const warcio = results.find(({ name }) => name.endsWith('warcio'))!.perSecond
    ratios.push(results[0]!.perSecond / warcio)
    for (const result of results) rows.push(rowOf(result, warcio))
  }
  const bodies = Buffer.concat(pages.map((page) => gzipSync(page.body))).length
  const times = ((pageCount * pageBytes) / bodies).toFixed(1)
  console.log(`${pageCount} pages of ${pageBytes} bytes, ${times} times smaller as gzip\n`)
  console.log(printTable(['', 'records/s', 'MB/s', 'against warcio'], rows))
  const [encodeRatio, decodeRatio, fileRatio] = ratios as [number, number, number]
  return { encodeRatio, decodeRatio, fileRatio }
}

function rowOf(result: Measurement, warcio: number): string[] {
  const ratio = `${(result.perSecond / warcio).toFixed(1)} ×`
  return [result.name, result.perSecond.toFixed(0), result.megabytesPerSecond!.toFixed(0), ratio]
}

function contender(name: string, work: () => void | Promise<void>): Contender {
  return { name, run: work, operations: pageCount, bytes: pageBytes }
}

function recordOf(page: Page): WarcRecord {
  const block = Buffer.concat([printHttpHead('HTTP/1.1 200 OK', headers), page.body])
  return response({ id: page.id, date, targetUri: page.url, ipAddress: '192.0.2.1', block })
}

function ourEncode(pages: readonly Page[], compression: Compression): Contender {
  return contender(`encode, ${compression.kind}, ours`, () => {
    for (const page of pages) encodeRecord(recordOf(page), compression)
  })
}

function ourDecode(pages: readonly Page[], compression: Compression): Contender {
  const members = pages.map((page) => encodeRecord(recordOf(page), compression))
  return contender(`decode, ${compression.kind}, ours`, () => {
    for (const member of members) expectPage(contentOf(decodeRecord(member)).payload)
  })
}

function verified(pages: readonly Page[]): Contender {
  const members = pages.map((page) => encodeRecord(recordOf(page), gzip))
  return contender('decode, gzip, ours, digests checked', () => {
    for (const member of members) {
      const record = decodeRecord(member)
      if (checkDigests(record).payload !== 'match') throw new Error('digest does not match')
      expectPage(contentOf(record).payload)
    }
  })
}

function ourFile(pages: readonly Page[]): Contender {
  const file = Buffer.concat(pages.map((page) => encodeRecord(recordOf(page), gzip)))
  return contender('read a file, gzip, ours', async () => {
    let count = 0
    for await (const item of readWarc(chunksOf(file))) {
      if (item.kind === 'damage') throw item.error
      expectPage(contentOf(item.record as WarcRecord).payload)
      count++
    }
    if (count !== pageCount) throw new Error(`${count} records`)
  })
}

function warcioEncode(name: string, pages: readonly Page[], preferPako: boolean): Contender {
  return contender(name, async () => {
    for (const page of pages) await warcioMember(page, preferPako)
  })
}

function warcioMember(page: Page, preferPako = false): Promise<Uint8Array> {
  async function* body() {
    yield page.body
  }
  const warcHeaders = { 'WARC-Record-ID': `<urn:uuid:${page.id}>`, 'WARC-IP-Address': '192.0.2.1' }
  const record = WARCRecord.create(
    { url: page.url, date, type: 'response', warcVersion: 'WARC/1.1', warcHeaders, httpHeaders: headers },
    body(),
  )
  return WARCSerializer.serialize(record, { gzip: true, preferPako })
}

async function warcioDecode(pages: readonly Page[]): Promise<Contender> {
  const members = await Promise.all(pages.map((page) => warcioMember(page)))
  return contender('decode, gzip, warcio', async () => {
    for (const member of members) {
      const record = await WARCParser.parse([member])
      expectPage(await record!.readFully(false))
    }
  })
}

async function warcioFile(pages: readonly Page[]): Promise<Contender> {
  const file = Buffer.concat(await Promise.all(pages.map((page) => warcioMember(page))))
  return contender('read a file, gzip, warcio', async () => {
    let count = 0
    for await (const record of new WARCParser(chunksOf(file))) {
      expectPage(await record.readFully(false))
      count++
    }
    if (count !== pageCount) throw new Error(`${count} records`)
  })
}

function expectPage(payload: Uint8Array): void {
  if (payload.length !== pageBytes) throw new Error(`payload has ${payload.length} bytes`)
}

async function* chunksOf(file: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < file.length; start += 65_536) yield file.subarray(start, start + 65_536)
}

/** Words of natural lengths, the common ones common, as in any language; the same on every run. */
const vocabulary = (() => {
  const random = randomFrom(1)
  const letters = 'etaoinshrdlucmfwypvbgkjqxz'
  const letter = () => letters[Math.floor(random() ** 1.7 * letters.length)]
  return Array.from({ length: 3000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 8) }, letter).join(''),
  )
})()

/** Markup, links and text in about the mix of a news page: compresses about 4 times, in about the time that real pages take. */
function pageOf(number: number): Page {
  const random = randomFrom(number + 2)
  const word = () => vocabulary[Math.floor(random() ** 3 * vocabulary.length)]
  const sentence = (words: number) => Array.from({ length: words }, word).join(' ')
  let text = `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${sentence(6)}</title></head>\n<body>\n`
  while (text.length < pageBytes) {
    const link = Math.floor(random() * 1e6)
    text += `<article class="teaser teaser--small">\n  <div class="teaser__media"><img loading="lazy" src="/img/${link}.jpg" alt=""></div>\n`
    text += `  <h2 class="teaser__title"><a class="teaser__link" href="/news/${link}.html">${sentence(6)}</a></h2>\n`
    text += `  <p class="teaser__text">${sentence(18)}.</p>\n</article>\n`
  }
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  return {
    id,
    url: `http://news${number}.example.test/index.html`,
    body: Buffer.from(text.slice(0, pageBytes)),
  }
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

if (import.meta.main) await run()
