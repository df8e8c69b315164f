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

test('texts of every length about the limit of short ones are written the same way', () => {
  for (const text of ['', 'a', 'a'.repeat(64), 'a'.repeat(65), `${'a'.repeat(63)}é`, '\u0080', '\ud800']) {
    const bytes = new MessageWriter().text(text).finish()
    const plain = Buffer.from(text)
    assert.deepEqual(Buffer.from(bytes), Buffer.concat([Uint8Array.of(plain.length), plain]))
  }
})

test('a part is read as if nothing came behind it, and what is left of it is passed over', () => {
  const reader = new MessageReader(Uint8Array.of(1, 2, 3, 4))
  const read = reader.part(3, (part) => [part.byte(), part.left])
  assert.deepEqual([read, reader.byte(), reader.isAtEnd], [[1, 2], 4, true])
})

test.each([
  ['a part that is not there', (reader: MessageReader) => reader.part(3, () => 0), [1, 2]],
  ['what lies behind a part', (reader: MessageReader) => reader.part(1, (part) => part.fixed(2)), [1, 2]],
  ['a number that is cut short', (reader: MessageReader) => reader.number(), [0x80]],
  ['a number without end', (reader: MessageReader) => reader.number(), Array(20).fill(0xff)],
  ['a number above its limit', (reader: MessageReader) => reader.number(9), [10]],
  ['a text longer than the message', (reader: MessageReader) => reader.text(100), [5, 65]],
  ['a text longer than allowed', (reader: MessageReader) => reader.text(1), [2, 65, 65]],
  ['bytes that are not there', (reader: MessageReader) => reader.fixed(2), [1]],
])('%s is refused', (_, read, bytes) => {
  assert.throws(() => read(new MessageReader(Uint8Array.from(bytes))), { code: 'message-malformed' })
})
