// Encodes and decodes WARC records of 15 kB HTML responses, against warcio in the same run. One thread.
//
// Same pages, same gzip level (6, which is what warcio's CompressionStream uses), same work. Encode: from HTTP head and
// body to the finished member, SHA-256 of block and of payload included. Decode: from the member to fields, HTTP head
// and payload, digests not checked (warcio does not). Both are given members in memory, one by one; `readWarc` and
// warcio's iterator are also given whole files.

import { WARCParser, WARCRecord, WARCSerializer } from 'warcio'
import { printHttpHead } from '../src/record/http-message.ts'
import { type Compression, gzip, uncompressed, zstd } from '../src/record/warc/compression.ts'
import { checkDigests } from '../src/record/warc/digest-check.ts'
import { contentOf } from '../src/record/warc/payload.ts'
import { readWarc } from '../src/record/warc/reader.ts'
import type { WarcRecord } from '../src/record/warc/record.ts'
import { response } from '../src/record/warc/record-builder.ts'
import { decodeRecord } from '../src/record/warc/record-decoding.ts'
import { encodeRecord } from '../src/record/warc/record-encoding.ts'
import { type Contender, type Measurement, type MeasureOptions, measure, printTable } from './measure.ts'

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
  encodeRatio: number
  decodeRatio: number
  measurements: Measurement[]
}

export async function run(options: MeasureOptions = {}): Promise<RecordBenchmark> {
  const pages = Array.from({ length: pageCount }, (_, index) => pageOf(index))
  const encoders = [
    ours(pages, 'encode', gzip),
    await warcioEncode(pages),
    ours(pages, 'encode', zstd),
    ours(pages, 'encode', uncompressed),
  ]
  const decoders = [
    ours(pages, 'decode', gzip),
    await warcioDecode(pages),
    verified(pages),
    ours(pages, 'decode', zstd),
    ours(pages, 'decode', uncompressed),
  ]
  const files = [ourFile(pages), await warcioFile(pages)]
  const ratios: number[] = []
  const rows: string[][] = []
  const measurements: Measurement[] = []
  for (const contenders of [encoders, decoders, files]) {
    const results = await measure(contenders, options)
    const warcio = results[1]!
    ratios.push(results[0]!.perSecond / warcio.perSecond)
    for (const result of results) rows.push(rowOf(result, warcio))
    measurements.push(...results)
  }
  const sizes = encodeRecord(recordOf(pages[0]!), gzip).length
  console.log(
    `${pageCount} pages of ${pageBytes} bytes, about ${(pageBytes / sizes).toFixed(1)} times smaller as gzip\n`,
  )
  console.log(printTable(['', 'records/s', 'MB/s', 'against warcio'], rows))
  return { encodeRatio: ratios[0]!, decodeRatio: ratios[1]!, measurements }
}

function rowOf(result: Measurement, warcio: Measurement): string[] {
  const ratio = result === warcio ? '1' : `${(result.perSecond / warcio.perSecond).toFixed(1)} ×`
  return [result.name, result.perSecond.toFixed(0), result.megabytesPerSecond!.toFixed(0), ratio]
}

function contender(name: string, work: () => void | Promise<void>): Contender {
  return { name, run: work, operations: pageCount, bytes: pageBytes }
}

function recordOf(page: Page): WarcRecord {
  const block = Buffer.concat([printHttpHead('HTTP/1.1 200 OK', headers), page.body])
  return response({ id: page.id, date, targetUri: page.url, ipAddress: '192.0.2.1', block })
}

function ours(pages: readonly Page[], direction: 'encode' | 'decode', compression: Compression): Contender {
  if (direction === 'encode') {
    return contender(`encode, ${compression.kind}, ours`, () => {
      for (const page of pages) encodeRecord(recordOf(page), compression)
    })
  }
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

async function warcioEncode(pages: readonly Page[]): Promise<Contender> {
  return contender('encode, gzip, warcio', async () => {
    for (const page of pages) await warcioMember(page)
  })
}

function warcioMember(page: Page): Promise<Uint8Array> {
  async function* body() {
    yield page.body
  }
  const warcHeaders = { 'WARC-Record-ID': `<urn:uuid:${page.id}>`, 'WARC-IP-Address': '192.0.2.1' }
  const record = WARCRecord.create(
    { url: page.url, date, type: 'response', warcVersion: 'WARC/1.1', warcHeaders, httpHeaders: headers },
    body(),
  )
  return WARCSerializer.serialize(record, { gzip: true })
}

async function warcioDecode(pages: readonly Page[]): Promise<Contender> {
  const members = await Promise.all(pages.map(warcioMember))
  return contender('decode, gzip, warcio', async () => {
    for (const member of members) {
      const record = await WARCParser.parse([member])
      expectPage(await record!.readFully(false))
    }
  })
}

async function warcioFile(pages: readonly Page[]): Promise<Contender> {
  const file = Buffer.concat(await Promise.all(pages.map(warcioMember)))
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

/** Words, markup and links in about the mix of a news page; the same for the same number. */
function pageOf(number: number): Page {
  let state = number + 1
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
  const word = () => {
    const rank = Math.floor(random() ** 3 * 2000)
    return `${['th', 'an', 'in', 'er', 'st', 're', 'on', 'al'][rank % 8]}${rank.toString(36)}${'es'.slice(rank % 3)}`
  }
  const sentence = (words: number) => Array.from({ length: words }, word).join(' ')
  let text = `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${sentence(6)}</title></head>\n<body>\n`
  while (text.length < pageBytes) {
    const link = Math.floor(random() * 1e6)
    text += `<article class="teaser teaser--small">\n  <h2><a class="teaser__link" href="/news/${link}.html">${sentence(7)}</a></h2>\n`
    text += `  <p class="teaser__text">${sentence(30)}.</p>\n</article>\n`
  }
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  return {
    id,
    url: `http://news${number}.example.test/index.html`,
    body: Buffer.from(text.slice(0, pageBytes)),
  }
}

if (import.meta.main) await run()
