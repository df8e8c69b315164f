import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { MessageTooLarge } from '../../network/network.ts'
import { FrameReader, frame } from './frames.ts'

test('messages come out as they went in, however they are cut up on the way', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, cuts) => {
      const reader = new FrameReader(40)
      const bytes = frame(sent)
      const received: Uint8Array[] = []
      for (let at = 0, index = 0; at < bytes.length; index++) {
        const size = cuts[index % cuts.length]!
        received.push(...reader.read(bytes.subarray(at, at + size)))
        at += size
      }
      assert.deepEqual(received, sent)
    }),
    { seed: 1 },
  )
})

test('a length over the limit is an error as soon as it is read', () => {
  const reader = new FrameReader(10)
  assert.throws(() => [...reader.read(frame([new Uint8Array(11)]).subarray(0, 4))], MessageTooLarge)
})

test('what comes out does not share memory with what went in', () => {
  const bytes = frame([new Uint8Array([1, 2, 3])])
  const [message] = new FrameReader(10).read(bytes)
  bytes.fill(0)
  assert.deepEqual(message, new Uint8Array([1, 2, 3]))
})
