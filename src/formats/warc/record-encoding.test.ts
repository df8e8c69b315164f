import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { FieldList } from '../http/field-list.ts'
import { gzip, uncompressed } from './compression/compression.ts'
import { WarcDamage, WarcRefusal } from './damage.ts'
import { flipBits } from './fixtures/flipped-records.ts'
import { anyCompression, anyRecord, compressions, cut, sampleRecords } from './fixtures/sample-records.ts'
import { decodeRecord } from './reading/record-decoding.ts'
import type { StreamedBlock, WarcRecord } from './record.ts'
import { encodeRecord, encodeRecordStream } from './record-encoding.ts'

const roundTrip = (record: WarcRecord, compression: (typeof compressions)[number]) => {
  const dictionary = compression.kind === 'zstd' ? compression.dictionary : undefined
  const bytes = encodeRecord(record, compression)
  // What follows a record in its file must not matter.
  return { bytes, decoded: decodeRecord(Buffer.concat([bytes, bytes]), { dictionary }) }
}

describe('a record reads back as it was written', () => {
  for (const compression of compressions) {
    test(`all types, ${JSON.stringify(compression).slice(0, 40)}`, () => {
      for (const record of sampleRecords()) {
        const { bytes, decoded } = roundTrip(record, compression)
        assert.deepEqual([...decoded.fields], [...record.fields])
        assert.deepEqual(Buffer.from(decoded.block), Buffer.from(record.block))
        assert.equal(decoded.version, '1.1')
        assert.equal(decoded.length, bytes.length)
        assert.deepEqual(decoded.warnings, [])
      }
    })
  }

  test('any record', () => {
    fc.assert(
      fc.property(anyRecord, anyCompression, (record, compression) => {
        const { decoded, bytes } = roundTrip(record, compression)
        assert.deepEqual([...decoded.fields], [...record.fields])
        assert.deepEqual(Buffer.from(decoded.block), Buffer.from(record.block))
        assert.equal(decoded.length, bytes.length)
      }),
      { seed: 1 },
    )
  })

  test('in a stream too, however the block is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRecord,
        anyCompression,
        fc.array(fc.nat(), { maxLength: 4 }),
        async (record, compression, cuts) => {
          const dictionary = compression.kind === 'zstd' ? compression.dictionary : undefined
          const block: StreamedBlock = {
            length: record.block.length,
            async *[Symbol.asyncIterator]() {
              yield* cut(record.block, cuts)
            },
          }
          const parts = await Array.fromAsync(encodeRecordStream({ ...record, block }, compression))
          const decoded = decodeRecord(Buffer.concat(parts), { dictionary })
          assert.deepEqual([...decoded.fields], [...record.fields])
          assert.deepEqual(Buffer.from(decoded.block), Buffer.from(record.block))
        },
      ),
      { numRuns: 50, seed: 1 },
    )
  })
})

describe('what would break the file is refused', () => {
  const [sample] = sampleRecords()
  const withField = (name: string, value: string) => ({
    ...sample!,
    fields: sample!.fields.with(name, value),
  })

  test('a value with another line in it', () => {
    for (const value of ['a\r\nWARC-Type: response', 'a\nb', 'a\rb', 'a\0b']) {
      assert.throws(() => encodeRecord(withField('X-Note', value), gzip), { code: 'warc-bad-field' })
    }
  })

  test('a name that is no name', () => {
    for (const name of ['', 'a b', 'a:b', 'a\r\nb', ' a']) {
      assert.throws(() => encodeRecord(withField(name, 'x'), gzip), WarcRefusal)
    }
  })

  test('a length that is not the block’s', () => {
    const record = { ...sample!, fields: new FieldList([['Content-Length', '7']]) }
    assert.throws(() => encodeRecord(record, gzip), { code: 'warc-bad-length' })
  })

  test('a streamed block shorter than it said', async () => {
    for (const compression of compressions) {
      const block = Object.assign(
        (async function* () {
          yield Buffer.from('abc')
        })(),
        { length: 4 },
      )
      const record = { version: '1.1', fields: sample!.fields.without('Content-Length'), block }
      await assert.rejects(Array.fromAsync(encodeRecordStream(record, compression)), {
        code: 'warc-bad-length',
      })
    }
  })
})

describe('a damaged record in memory', () => {
  const record = sampleRecords()[1]!
  const code = (bytes: Buffer, options = {}) => {
    try {
      decodeRecord(bytes, options)
      return 'sound'
    } catch (error) {
      assert(error instanceof WarcDamage, String(error))
      return error.code
    }
  }

  test('says what is wrong with its head', () => {
    const text = encodeRecord(record, uncompressed).toString('latin1')
    const damage = (from: string | RegExp, to: string) => code(Buffer.from(text.replace(from, to), 'latin1'))
    assert.equal(damage('WARC/1.1', 'WARK/1.1'), 'warc-bad-version')
    assert.equal(damage('WARC/1.1', 'WARC/x'), 'warc-bad-version')
    assert.equal(damage('WARC-Type:', 'WARC-Tipe:'), 'warc-missing-field')
    assert.equal(damage('WARC-Date:', 'WARC-Date'), 'warc-bad-head-line')
    assert.equal(damage(/Content-Length: \d+/, 'Content-Length: -1'), 'warc-bad-content-length')
    assert.equal(
      damage(/Content-Length: \d+/, 'Content-Length: 99999999999999999999'),
      'warc-bad-content-length',
    )
    assert.equal(damage(/Content-Length: \d+/, 'Content-Length: 9007199254740991'), 'warc-truncated-block')
    assert.equal(damage('WARC-Date: ', `WARC-Date: ${'9'.repeat(170_000)}`), 'warc-head-too-large')
    assert.equal(code(Buffer.from('WARC/1.1\r\nWARC-Ty')), 'warc-truncated-head')
    assert.equal(code(Buffer.alloc(0)), 'warc-bad-version')
  })

  // Every bit: record-encoding.long.test.ts.
  test('is never mistaken for a sound one when compressed: bits flipped, every truncation', () => {
    for (const compression of compressions.slice(1)) flipBits(record, compression, 7)
  })

  test('of a size that the caller does not take is refused', () => {
    const zeros = {
      ...record,
      fields: record.fields.without('Content-Length'),
      block: Buffer.alloc(10_000_000),
    }
    for (const compression of compressions.slice(1)) {
      const options = {
        recordBytesMax: 1_000_000,
        dictionary: compression.kind === 'zstd' ? compression.dictionary : undefined,
      }
      assert.equal(code(encodeRecord(zeros, compression), options), 'warc-too-large')
    }
  })
})
