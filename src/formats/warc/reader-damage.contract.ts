// Bytes flipped and lengths cut, of small files: the reader never throws, never hangs, and delivers what the damage did not
// touch. `step` 1 takes every byte, 7 every seventh.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { digestOf, equalDigests, parseDigest } from '../../model/digest.ts'
import type { Compression } from './compression/compression.ts'
import { encodeDictionaryFrame } from './compression/zstd-frame.ts'
import { WarcDamage } from './damage.ts'
import { compressions, sampleRecords } from './fixtures/sample-records.ts'
import { payloadOf } from './payload.ts'
import { readWarc, type WarcItem } from './reading/reader.ts'
import type { WarcRecord } from './record.ts'
import { encodeRecord } from './record-encoding.ts'

const records = sampleRecords().slice(0, 5)
const idOf = (record: { fields: WarcRecord['fields'] }) => record.fields.get('WARC-Record-ID')

function fileOf(compression: Compression) {
  const dictionary = compression.kind === 'zstd' ? compression.dictionary : undefined
  const parts = dictionary === undefined ? [] : [encodeDictionaryFrame(dictionary)]
  const extents: { id: string | undefined; start: number; end: number }[] = []
  for (const record of records) {
    const start = parts.reduce((sum, part) => sum + part.length, 0)
    parts.push(encodeRecord(record, compression))
    extents.push({ id: idOf(record), start, end: start + parts.at(-1)!.length })
  }
  return { bytes: Buffer.concat(parts), extents, recordsStart: extents[0]!.start }
}

async function read(bytes: Buffer): Promise<WarcItem[]> {
  async function* chunks() {
    yield bytes
  }
  return Array.fromAsync(readWarc(chunks(), { verify: true }))
}

function checkItems(items: readonly WarcItem[], lengthMax: number): void {
  for (const item of items) {
    if (item.kind === 'damage') {
      assert(item.error instanceof WarcDamage)
      assert(item.error.offset >= 0 && item.error.offset <= lengthMax)
      assert(item.skippedTo > item.error.offset && item.skippedTo <= lengthMax)
      continue
    }
    const record = item.record as WarcRecord
    const original = records.find((candidate) => idOf(candidate) === idOf(record))
    const digest = record.fields.get('WARC-Payload-Digest')
    // What passed the check and still says whose it is has the payload that was written.
    if (
      original === undefined ||
      digest !== original.fields.get('WARC-Payload-Digest') ||
      digest === undefined
    )
      continue
    assert(equalDigests(digestOf('sha256', payloadOf(record)), parseDigest(digest)))
  }
}

export function damageContract(step: number): void {
  for (const compression of compressions) {
    describe(JSON.stringify(compression).slice(0, 40), () => {
      const { bytes, extents, recordsStart } = fileOf(compression)

      test('bytes flipped', async () => {
        for (let index = 0; index < bytes.length; index += step) {
          const flipped = Buffer.from(bytes)
          flipped[index]! ^= 1 << (index % 8)
          const items = await read(flipped)
          checkItems(items, bytes.length)
          // Without its dictionary a file cannot be read: that is the price of having one.
          if (index < recordsStart) continue
          const found = items.flatMap((item) => (item.kind === 'record' ? [idOf(item.record)] : []))
          const untouched = extents.filter(({ start, end }) => index < start || index >= end)
          for (const { id } of untouched) assert(found.includes(id), `byte ${index}: ${id} is missing`)
        }
      })

      test('lengths cut', async () => {
        for (let length = 0; length < bytes.length; length += step) {
          const items = await read(bytes.subarray(0, length))
          checkItems(items, length)
          if (length < recordsStart) continue
          const whole = extents.filter(({ end }) => end <= length).map(({ id }) => id)
          const found = items.flatMap((item) => (item.kind === 'record' ? [idOf(item.record)] : []))
          assert.deepEqual(found.slice(0, whole.length), whole)
          const isTorn = extents.some(({ start, end }) => start < length && length < end - 4)
          if (isTorn) assert.equal(items.at(-1)?.kind, 'damage', `cut at ${length}`)
        }
      })

      test('bytes inserted, bytes gone', async () => {
        for (let index = recordsStart; index < bytes.length; index += step) {
          const before = bytes.subarray(0, index)
          for (const damaged of [
            Buffer.concat([before, Buffer.from([0xa5]), bytes.subarray(index)]),
            Buffer.concat([before, bytes.subarray(index + 1)]),
          ]) {
            const items = await read(damaged)
            checkItems(items, damaged.length)
            const found = items.flatMap((item) => (item.kind === 'record' ? [idOf(item.record)] : []))
            const untouched = extents.filter(({ start, end }) => index < start || index >= end)
            for (const { id } of untouched) assert(found.includes(id), `byte ${index}: ${id} is missing`)
          }
        }
      })
    })
  }
}
