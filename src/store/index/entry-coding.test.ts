import assert from 'node:assert/strict'
import { test } from 'vitest'
import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import { StoreError } from '../store-error.ts'
import { EntryReader } from './entry-coding.ts'
import { readChecksum, writeChecksum } from './location.ts'

const digest = Buffer.alloc(32, 0xd1)

function written(): Uint8Array {
  const writer = new MessageWriter()
    .number(2 ** 40 + 1)
    .text('Größe')
    .fixed(digest)
  writeChecksum(writer, 0xfedc_ba98)
  return writer.finish()
}

function read(bytes: Uint8Array): unknown[] {
  const reader = new EntryReader(bytes)
  return [reader.number(), reader.text(), reader.fixed(digest.length), readChecksum(reader)]
}

test('the fields of an entry are read back in their order', () => {
  const fields = [2 ** 40 + 1, 'Größe', digest, 0xfedc_ba98]
  assert.deepEqual(read(written()), fields)
  // A later version may have more to say; and entries lie in the midst of other memory.
  const around = Buffer.concat([Buffer.from([7]), written(), Buffer.from([9])])
  assert.deepEqual(read(new Uint8Array(around).subarray(1)), fields)
})

test('an entry that is cut short is damage, wherever it was cut', () => {
  const whole = written()
  for (let length = 0; length < whole.length; length++) {
    const isDamage = (error: unknown) => error instanceof StoreError && error.code === 'store-index-damaged'
    assert.throws(() => read(whole.subarray(0, length)), isDamage, `${length} bytes of it`)
  }
})
