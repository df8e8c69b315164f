// Properties of the reader for any bytes at all. The tests run a few rounds; `npm run fuzz` goes on for as long as you like.

import assert from 'node:assert/strict'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { ChunkedDecoder } from '../../http/chunked-decoder.ts'
import { parseHttpHead } from '../../http/http-message.ts'
import { WarcDamage } from '../damage.ts'
import { anyCompression, anyRecord, cut } from '../fixtures/sample-records.ts'
import { encodeRecord } from '../record-encoding.ts'
import { readWarc } from './reader.ts'
import { decodeRecord } from './record-decoding.ts'

/** Pieces that a hostile file is likely made of. */
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc
    .constantFrom(
      'WARC/1.1\r\n',
      '\r\n\r\n',
      '\n',
      'WARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n',
      'Content-Length: 5\r\n',
      'Content-Length: 9007199254740991\r\n',
      'Content-Length: -1\r\n',
      'hello',
      '\x1f\x8b\x08\0\0\0\0\0\0\x03',
      '\x28\xb5\x2f\xfd',
      '\x5d\x2a\x4d\x18\x08\0\0\0',
      '\x50\x2a\x4d\x18\xff\xff\xff\xff',
      '\x37\xa4\x30\xec',
    )
    .map((text) => Buffer.from(text, 'latin1')),
)
const soup = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.concat(pieces))

/** Real records, some of them bitten into. */
const bitten = fc
  .tuple(
    fc.array(fc.tuple(anyRecord, anyCompression), { minLength: 1, maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
    fc.option(fc.nat(), { nil: undefined }),
  )
  .map(([records, bites, end]) => {
    const bytes = Buffer.concat(records.map(([record, compression]) => encodeRecord(record, compression)))
    for (const [place, value] of bites) bytes[place % bytes.length] = value
    return end === undefined ? bytes : bytes.subarray(0, end % bytes.length)
  })

const anyFile = fc.oneof(
  soup,
  bitten,
  soup.map((bytes) => gzipSync(bytes)),
  soup.map((bytes) => zstdCompressSync(bytes)),
  fc.tuple(bitten, soup, bitten).map((parts) => Buffer.concat(parts)),
)

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  yield* cut(bytes, cuts)
}

/** What a reader gives, in few words. */
async function summaryOf(
  bytes: Uint8Array,
  cuts: readonly number[],
  blockBytesBuffered: number,
): Promise<string[]> {
  const lines: string[] = []
  let positionBefore = 0
  for await (const item of readWarc(chunksOf(bytes, cuts), { verify: true, blockBytesBuffered })) {
    const position = item.kind === 'record' ? item.offset : item.error.offset
    assert(position >= positionBefore && position <= bytes.length, 'items come in file order')
    positionBefore = position
    if (item.kind === 'damage') {
      assert(item.skippedTo <= bytes.length)
      lines.push(`damage ${item.error.code} ${item.error.offset}`)
    } else {
      lines.push(`record ${item.offset} ${item.offsetInMember} ${item.record.block.length}`)
    }
    assert(lines.length <= bytes.length + 1, 'no more items than bytes')
  }
  return lines
}

const cuts = fc.array(fc.nat(), { maxLength: 10 })

export const properties = [
  {
    name: 'the WARC reader takes any bytes, and gives the same however they are cut',
    property: fc.asyncProperty(anyFile, cuts, async (bytes, points) => {
      assert.deepEqual(await summaryOf(bytes, points, 1 << 20), await summaryOf(bytes, [], 1 << 20))
    }),
  },
  {
    name: 'the WARC reader takes any bytes when every block is streamed',
    property: fc.asyncProperty(anyFile, cuts, async (bytes, points) => {
      await summaryOf(bytes, points, 0)
    }),
  },
  {
    name: 'decodeRecord gives a record or WarcDamage',
    property: fc.property(anyFile, (bytes) => {
      try {
        const record = decodeRecord(bytes)
        assert(record.length <= bytes.length)
      } catch (error) {
        assert(error instanceof WarcDamage, String(error))
      }
    }),
  },
  {
    name: 'parseHttpHead takes any bytes',
    property: fc.property(
      fc.oneof(
        soup,
        fc.uint8Array().map((body) => Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n'), body])),
      ),
      (bytes) => {
        const head = parseHttpHead(bytes)
        assert(head === undefined || head.length <= bytes.length)
      },
    ),
  },
  {
    name: 'the chunked decoder gives the same however its input is cut',
    property: fc.property(
      fc
        .array(
          fc.oneof(
            fc.uint8Array({ maxLength: 20 }),
            fc
              .constantFrom('5\r\nhello\r\n', '5\r\nhello', '0\r\n\r\n', 'a;x\r\n', '\r\n', '0')
              .map((text) => Buffer.from(text)),
          ),
        )
        .map((parts) => Buffer.concat(parts)),
      cuts,
      (bytes, points) => {
        const decode = (parts: Uint8Array[]) => {
          const decoder = new ChunkedDecoder()
          const output = Buffer.concat([...parts.flatMap((part) => decoder.push(part)), ...decoder.end()])
          return { output: output.toString('latin1'), malformed: decoder.malformed }
        }
        assert.deepEqual(decode(cut(bytes, points)), decode([bytes]))
      },
    ),
  },
]
