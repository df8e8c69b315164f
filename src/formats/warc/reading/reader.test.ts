import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { type Compression, gzip } from '../compression/compression.ts'
import { encodeDictionaryFrame } from '../compression/zstd-frame.ts'
import { WarcDamage } from '../damage.ts'
import {
  anyCompression,
  anyRecord,
  compressions,
  cut,
  date,
  httpResponse,
  id,
  sampleRecords,
  targetUri,
} from '../fixtures/sample-records.ts'
import { targetUriOf, type WarcRecord } from '../record.ts'
import { response } from '../record-builder.ts'
import { encodeRecord, printRecord } from '../record-encoding.ts'
import { type ReadOptions, type RecordItem, readWarc, type WarcItem } from './reader.ts'

async function* chunksOf(bytes: Uint8Array, ...cuts: number[]): AsyncGenerator<Uint8Array> {
  yield* cut(bytes, cuts)
}

/** Records of one file, and where each starts. */
function fileOf(records: readonly WarcRecord[], compression: Compression) {
  const hasDictionary = compression.kind === 'zstd' && compression.dictionary !== undefined
  const parts = hasDictionary ? [encodeDictionaryFrame(compression.dictionary!)] : []
  const offsets: number[] = []
  for (const record of records) {
    offsets.push(parts.reduce((sum, part) => sum + part.length, 0))
    parts.push(encodeRecord(record, compression))
  }
  return { bytes: Buffer.concat(parts), offsets }
}

const readAll = (bytes: Uint8Array, options: ReadOptions = {}, cuts: number[] = []): Promise<WarcItem[]> =>
  Array.fromAsync(readWarc(chunksOf(bytes, ...cuts), options))

const recordsIn = (items: readonly WarcItem[]): RecordItem[] => items.filter((item) => item.kind === 'record')
const plain = ({ version, fields, block }: WarcRecord<never> | RecordItem['record']) => ({
  version,
  fields: [...fields],
  block: Buffer.from(block as Uint8Array).toString('latin1'),
})

async function blockOf(item: RecordItem): Promise<Buffer> {
  const { block } = item.record
  return block instanceof Uint8Array ? Buffer.from(block) : Buffer.concat(await Array.fromAsync(block))
}

describe('a file reads back record for record', () => {
  for (const compression of compressions) {
    test(`with offsets and lengths, ${JSON.stringify(compression).slice(0, 40)}`, async () => {
      const records = sampleRecords()
      const { bytes, offsets } = fileOf(records, compression)
      const items = recordsIn(await readAll(bytes, { verify: true }))
      assert.deepEqual(
        items.map((item) => plain(item.record)),
        records.map((record) => plain(record)),
      )
      assert.deepEqual(
        items.map((item) => item.offset),
        offsets,
      )
      assert.deepEqual(
        items.map((item) => item.length),
        offsets.map((offset, index) => (offsets[index + 1] ?? bytes.length) - offset),
      )
      assert.deepEqual(
        items.flatMap((item) => item.warnings),
        [],
      )
    })
  }

  test('wherever its bytes are cut, and whether blocks are buffered or streamed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRecord, { maxLength: 5 }),
        anyCompression,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.constantFrom(0, 10, 1_000_000),
        async (records, compression, cuts, blockBytesBuffered) => {
          const { bytes, offsets } = fileOf(records, compression)
          const found: unknown[] = []
          for await (const item of readWarc(chunksOf(bytes, ...cuts), { blockBytesBuffered })) {
            assert(item.kind === 'record', JSON.stringify(item))
            const block = await blockOf(item)
            found.push({
              ...plain({ ...item.record, block }),
              offset: item.offset,
              end: item.offset + item.length!,
            })
          }
          const expected = records.map((record, index) => ({
            ...plain(record),
            offset: offsets[index],
            end: offsets[index + 1] ?? bytes.length,
          }))
          assert.deepEqual(found, expected)
        },
      ),
      { numRuns: 100, seed: 1 },
    )
  })

  test('one byte at a time', async () => {
    for (const compression of compressions) {
      const { bytes } = fileOf(sampleRecords(), compression)
      const items = await readAll(bytes, { verify: true }, [...bytes.keys()])
      assert.equal(recordsIn(items).length, sampleRecords().length)
      assert.equal(items.length, sampleRecords().length)
    }
  })
})

describe('files as careless tools make them', () => {
  const records = sampleRecords()
  const whole = Buffer.concat(records.map(printRecord))
  const texts = (items: readonly WarcItem[]) => recordsIn(items).map((item) => plain(item.record))
  const expected = records.map((record) => plain(record))

  test('all records in one gzip member', async () => {
    const items = await readAll(gzipSync(whole))
    assert.deepEqual(texts(items), expected)
    assert.equal(recordsIn(items)[1]!.offset, 0)
    assert(recordsIn(items)[1]!.offsetInMember > 0)
    assert.equal(recordsIn(items)[1]!.length, undefined)
  })

  test('all records in one gzip member too large for memory', async () => {
    const many = Buffer.concat(Array.from({ length: 500 }, () => whole))
    const items = await readAll(gzipSync(many), { verify: true }, [1000, 20_000, 50_000])
    assert.equal(items.length, 500 * records.length)
    assert.deepEqual(texts(items.slice(-records.length)), expected)
  })

  test('padding and garbage between members', async () => {
    const members = records.map((record) => encodeRecord(record, gzip))
    const padded = Buffer.concat(members.flatMap((member) => [member, Buffer.alloc(100)]))
    assert.deepEqual(texts(await readAll(padded)), expected)
    assert.equal((await readAll(padded)).length, records.length)
    const littered = Buffer.concat(
      members.flatMap((member) => [member, Buffer.from('garbage \x1f\x8b\x08\0 more', 'latin1')]),
    )
    const items = await readAll(littered)
    assert.deepEqual(texts(items), expected)
    assert.equal(items.length, 2 * records.length)
    assert(items.every((item) => item.kind === 'record' || item.error.code === 'warc-not-a-record'))
  })

  test('garbage of any length, and a chunk that ends within the magic number behind it', async () => {
    for (const compression of compressions.slice(0, 4)) {
      const member = encodeRecord(records[1]!, compression)
      for (let length = 65_530; length < 65_550; length++) {
        const bytes = Buffer.concat([member, Buffer.alloc(length, '-'), Buffer.from('\n'), member])
        const items = await readAll(bytes, {}, [member.length + length + 1 + (length % 4)])
        const kinds = items.map((item) => item.kind)
        assert.deepEqual(kinds, ['record', 'damage', 'record'], `${compression.kind} ${length}`)
      }
    }
  })

  test('a record behind any number of lines that could have started one', async () => {
    for (const line of ['WARC/1.0\r\n', 'WARC/1.0\nA: b\n', 'WARC/1.0\r\nA: b\r\n\r\n']) {
      const items = await readAll(Buffer.concat([Buffer.from(line.repeat(5_000)), printRecord(records[1]!)]))
      assert.equal(recordsIn(items).length, 1)
    }
  })

  test('heads that are not UTF-8', async () => {
    const text = printRecord(records[1]!)
      .toString('latin1')
      .replace('WARC-Date', 'X-Note: caf\xe9\r\nWARC-Date')
    const [item] = recordsIn(await readAll(Buffer.from(text, 'latin1')))
    assert.equal(item!.record.fields.get('X-Note'), 'caf\xe9')
  })

  test('plain, gzip and zstd one after the other', async () => {
    const mixed = Buffer.concat(
      records.map((record, index) => encodeRecord(record, compressions[index % 4]!)),
    )
    assert.deepEqual(texts(await readAll(mixed)), expected)
  })

  test('line feeds only, bracketed URI, odd case, folded lines, old version, no content type', async () => {
    const text =
      'WARC/0.18\nwarc-type:response\nWARC-Record-ID :  <urn:uuid:1>\nWARC-Date: 2009-01-01T00:00:00Z\n' +
      'WARC-Target-URI: <http://example.test/>\nX-Long: one\n two\nX-Long: three\nCONTENT-LENGTH: 5\n\nhello\n\n'
    const [item, next] = recordsIn(await readAll(Buffer.from(text + text)))
    assert.equal(targetUriOf(item!.record), 'http://example.test/')
    assert.deepEqual(item!.record.fields.getAll('x-long'), ['one two', 'three'])
    assert.equal((await blockOf(item!)).toString(), 'hello')
    assert.equal(next!.offset, text.length)
    assert.deepEqual([...item!.warnings].sort(), [
      'bracketed-target-uri',
      'line-feed-only',
      'missing-record-end',
      'old-version',
    ])
  })

  test('no line ends between records', async () => {
    const bare = Buffer.concat(records.map((record) => printRecord(record).subarray(0, -4)))
    const items = recordsIn(await readAll(bare))
    assert.deepEqual(texts(items), expected)
    assert(items.every((item) => item.warnings.includes('missing-record-end')))
  })

  test('a length that runs on into the next record costs one record only', async () => {
    for (const wrong of ['150', '300', '4000', '900000']) {
      const broken = whole.toString('latin1').replace(/Content-Length: \d+/, `Content-Length: ${wrong}`)
      const items = await readAll(Buffer.from(broken, 'latin1'))
      assert.deepEqual(texts(items), expected.slice(1), wrong)
    }
  })
})

describe('large blocks', () => {
  const body = Buffer.concat([randomBytes(1_500_000), Buffer.alloc(1_500_000)])
  const large = response({ id: id(1), date, targetUri, block: httpResponse(body) })
  const small = response({ id: id(2), date, targetUri, block: httpResponse('small') })

  for (const compression of compressions) {
    test(`flow, and may be read, partly read or skipped, ${JSON.stringify(compression).slice(0, 40)}`, async () => {
      const { bytes, offsets } = fileOf([large, small, large, large, small], compression)
      const seen: string[] = []
      for await (const item of readWarc(chunksOf(bytes, 70_000, 140_001), { verify: true })) {
        assert(item.kind === 'record')
        const { block } = item.record
        assert.equal(item.offset, offsets[seen.length])
        if (block instanceof Uint8Array) {
          seen.push('small')
        } else if (seen.length === 0) {
          assert.equal(item.length, undefined)
          assert.deepEqual(await blockOf(item), Buffer.from(large.block))
          assert.equal(item.length, offsets[1]! - offsets[0]!)
          seen.push('read')
        } else if (seen.length === 2) {
          for await (const chunk of block) {
            assert(chunk.length > 0)
            break
          }
          seen.push('partly')
        } else {
          seen.push('skipped')
        }
      }
      assert.deepEqual(seen, ['read', 'small', 'partly', 'skipped', 'small'])
    })

    test(`with a wrong digest throw at their end, ${JSON.stringify(compression).slice(0, 40)}`, async () => {
      const wrong = { ...large, block: Buffer.from(large.block) }
      wrong.block[2_000_000]! ^= 1
      const { bytes } = fileOf([wrong, small], compression)
      const items: WarcItem[] = []
      for await (const item of readWarc(chunksOf(bytes), { verify: true })) {
        items.push(item)
        if (items.length === 1)
          await assert.rejects(blockOf(item as RecordItem), { code: 'warc-digest-mismatch' })
      }
      assert.deepEqual(
        items.map((item) => item.kind),
        ['record', 'damage', 'record'],
      )
    })
  }

  test('with a wrong checksum throw at their end, and the file goes on', async () => {
    for (const compression of compressions.slice(1)) {
      const { bytes, offsets } = fileOf([large, small], compression)
      // The CRC-32 of gzip, the last byte of zstd's checksum.
      bytes[offsets[1]! - (compression.kind === 'gzip' ? 8 : 1)]! ^= 1
      const items: WarcItem[] = []
      for await (const item of readWarc(chunksOf(bytes, 100_000, 1_000_000))) {
        items.push(item)
        if (items.length === 1)
          await assert.rejects(blockOf(item as RecordItem), { code: 'warc-bad-checksum' })
      }
      assert.deepEqual(
        items.map((item) => item.kind),
        ['record', 'damage', 'record'],
      )
    }
  })

  test('that are cut short throw, and the file goes on', async () => {
    const member = encodeRecord(large, gzip)
    const bytes = Buffer.concat([member.subarray(0, 1_400_000), encodeRecord(small, gzip)])
    const items: WarcItem[] = []
    for await (const item of readWarc(chunksOf(bytes, 100_000, 700_000))) {
      items.push(item)
      if (items.length === 1) {
        await assert.rejects(blockOf(item as RecordItem), (error: { code: string; offset: number }) => {
          assert.equal(error.offset, 0)
          return error.code.startsWith('warc-')
        })
      }
    }
    assert.deepEqual(
      items.map((item) => item.kind),
      ['record', 'damage', 'record'],
    )
  })

  test('are not to be read after the reader has moved on', async () => {
    const { bytes } = fileOf([large, small], gzip)
    const items = await readAll(bytes)
    await assert.rejects(blockOf(items[0] as RecordItem), /read once/)
  })
})

test('a reader that is left early closes its source', async () => {
  let closed = false
  async function* source() {
    try {
      for (;;) yield encodeRecord(sampleRecords()[1]!, gzip)
    } finally {
      closed = true
    }
  }
  for await (const item of readWarc(source())) {
    assert.equal(item.kind, 'record')
    break
  }
  assert(closed)
})

test('what the source throws is thrown on, even if it is damage', async () => {
  const large = response({ id: id(1), date, targetUri, block: httpResponse(randomBytes(3_000_000)) })
  for (const compression of compressions.slice(0, 4)) {
    const encoded = encodeRecord(large, compression)
    for (const error of [
      new Error('disk gone'),
      new WarcDamage('warc-bad-version', 7, 'of the archive outside'),
    ]) {
      for (const length of [3, 50, 2_000_000]) {
        async function* source() {
          yield encoded.subarray(0, length)
          throw error
        }
        await assert.rejects(Array.fromAsync(readWarc(source())), error)
      }
    }
  }
})

test('a record is alone in its member though line ends follow it', async () => {
  const member = gzipSync(Buffer.concat([printRecord(sampleRecords()[1]!), Buffer.from('\r\n\r\n')]))
  const [item] = recordsIn(await readAll(Buffer.concat([member, member])))
  assert.equal(item!.length, member.length)
})

test('a broken dictionary is damage of its own, other skippable frames are passed over', async () => {
  const header = (magic: number, length: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32LE(magic, 0)
    bytes.writeUInt32LE(length, 4)
    return bytes
  }
  const broken = Buffer.concat([Buffer.from([0x37, 0xa4, 0x30, 0xec]), Buffer.alloc(60)])
  const bytes = Buffer.concat([
    ...[header(0x184d2a5d, broken.length), broken],
    ...[header(0x184d2a50, 3), Buffer.from('abc')],
    encodeRecord(sampleRecords()[1]!, { kind: 'zstd' }),
  ])
  const [damage, record, ...more] = await readAll(bytes)
  assert(damage?.kind === 'damage')
  assert.equal(damage.error.code, 'warc-bad-dictionary')
  assert.equal(damage.skippedTo, 8 + broken.length)
  assert.equal(record?.kind, 'record')
  assert.deepEqual(more, [])
})
