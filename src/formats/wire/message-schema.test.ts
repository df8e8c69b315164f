import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { MessageMalformed, MessageWriter } from './message-bytes.ts'
import { bytes, choice, counter, flag, flags, number, text } from './message-fields.ts'
import { joined, list, mark, marked, optional, record, Times, union, versioned } from './message-schema.ts'

const point = record({ x: number(9), label: text(5) })

describe('a message schema', () => {
  test('writes the fields of a record in their order, without their names', () => {
    const expected = new MessageWriter().number(7).text('ab').finish()
    assert.deepEqual(point.encode({ label: 'ab', x: 7 }), expected)
    assert.deepEqual(point.decode(expected), { x: 7, label: 'ab' })
  })

  test('refuses what is beyond its bounds, and what is cut short', () => {
    const points = list(point, 2)
    const three = list(point).encode(Array.from({ length: 3 }, () => ({ x: 1, label: '' })))
    for (const bad of [
      () => point.decode(new MessageWriter().number(10).text('').finish()),
      () => point.decode(new MessageWriter().number(1).text('abcdef').finish()),
      () => point.decode(new MessageWriter().number(1).finish()),
      () => points.decode(three),
      () => list(point).decode(new MessageWriter().number(1e9).finish()),
      () => flag.decode(Uint8Array.of(2)),
      () => choice(['a', 'b']).decode(Uint8Array.of(2)),
    ])
      assert.throws(bad, MessageMalformed)
  })

  test('leaves alone what a later version has added', () => {
    assert.deepEqual(point.decode(Buffer.concat([point.encode({ x: 1, label: '' }), Buffer.alloc(9)])), {
      x: 1,
      label: '',
    })
  })

  test('tells the cases of a union by their place', () => {
    const question = union('question', { find: { key: bytes(4) }, leave: {} })
    assert.deepEqual(question.encode({ kind: 'leave' }), Buffer.from([1]))
    const find = { kind: 'find', key: Uint8Array.of(1, 2) } as const
    assert.deepEqual(question.decode(question.encode(find)), find)
    assert.throws(() => question.decode(Uint8Array.of(2)), /there is no such question/)
  })

  test('writes what may be missing behind a byte that tells what is there', () => {
    const note = joined(marked({ by: text(9), isOld: mark, at: counter }), record({ size: counter }))
    assert.deepEqual(note.encode({ isOld: true, at: 5, size: 6 }), Buffer.from([0b110, 5, 6]))
    assert.deepEqual(note.decode(note.encode({ isOld: false, size: 1 })), {
      by: undefined,
      isOld: false,
      at: undefined,
      size: 1,
    })
    const maybe = record({ at: optional(counter) })
    assert.deepEqual(maybe.decode(maybe.encode({})), { at: undefined })
    assert.deepEqual(maybe.decode(maybe.encode({ at: 0 })), { at: 0 })
  })

  test('reads as many answers as there were questions', () => {
    assert.deepEqual(flags.decode(flags.encode([true, false]), 2), [true, false])
    assert.throws(() => new Times(point).decode(point.encode({ x: 1, label: 'a' }), 2), MessageMalformed)
  })

  test('refuses other versions as it is told, and values that are not so', () => {
    const message = versioned(
      3,
      point.checked(({ x }) => x > 0, 'no x'),
      (version) => new RangeError(`${version}`),
    )
    assert.equal(message.decode(message.encode({ x: 1, label: '' })).x, 1)
    assert.throws(() => message.decode(Uint8Array.of(4)), RangeError)
    assert.throws(() => message.decode(message.encode({ x: 0, label: '' })), /no x/)
  })

  test('takes no name that is more than a name', () => {
    assert.throws(() => record({ 'a; evil()': flag }), assert.AssertionError)
  })
})
