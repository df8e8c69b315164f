import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { MessageReader, MessageWriter } from './message-bytes.ts'

test('what is written is read back in the same order', () => {
  const fields = fc.record({
    byte: fc.nat(255),
    number: fc.maxSafeNat(),
    text: fc.string({ unit: 'grapheme' }),
    bytes: fc.uint8Array({ maxLength: 2_000 }),
    fixed: fc.uint8Array({ minLength: 20, maxLength: 20 }),
  })
  fc.assert(
    fc.property(fc.array(fields), (all) => {
      const writer = new MessageWriter()
      for (const { byte, number, text, bytes, fixed } of all) {
        writer.byte(byte).number(number).text(text).bytes(bytes).fixed(fixed)
      }
      const reader = new MessageReader(writer.finish())
      for (const { byte, number, text, bytes, fixed } of all) {
        assert.equal(reader.byte(), byte)
        assert.equal(reader.number(), number)
        assert.equal(reader.text(100_000), text)
        assert.deepEqual(Buffer.from(reader.bytes(2_000)), Buffer.from(bytes))
        assert.deepEqual(Buffer.from(reader.copy(20)), Buffer.from(fixed))
      }
      assert(reader.isAtEnd)
    }),
    { seed: 1 },
  )
})

test.each([
  ['a number that is cut short', (reader: MessageReader) => reader.number(), [0x80]],
  ['a number without end', (reader: MessageReader) => reader.number(), Array(20).fill(0xff)],
  ['a number above its limit', (reader: MessageReader) => reader.number(9), [10]],
  ['a text longer than the message', (reader: MessageReader) => reader.text(100), [5, 65]],
  ['a text longer than allowed', (reader: MessageReader) => reader.text(1), [2, 65, 65]],
  ['bytes that are not there', (reader: MessageReader) => reader.fixed(2), [1]],
])('%s is refused', (_, read, bytes) => {
  assert.throws(() => read(new MessageReader(Uint8Array.from(bytes))), { code: 'message-malformed' })
})
