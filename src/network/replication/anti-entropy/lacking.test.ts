import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { sendLacking } from './lacking.ts'

const keys = Array.from({ length: 1_000 }, (_, number) => Buffer.from(String(number)))

/** A receiver that has what a capture rests on as soon as one that rests on it came whole. */
function receiver(groundOf: (number: number) => number, isThere = (_: number) => true) {
  const grounds = new Set<number>()
  const counts = { whole: 0, asTheyAre: 0 }
  const send = async (some: readonly Uint8Array[], isWhole: boolean): Promise<Uint8Array[]> => {
    counts[isWhole ? 'whole' : 'asTheyAre'] += some.length
    return some.filter((key) => {
      const number = Number(Buffer.from(key).toString())
      if (isWhole && isThere(number)) grounds.add(groundOf(number))
      return isWhole ? !isThere(number) : !grounds.has(groundOf(number))
    })
  }
  return { send, counts }
}

describe('what is lacking', () => {
  test('goes whole a few times only where it rests on the same', async () => {
    const { send, counts } = receiver(() => 0)
    assert.deepEqual(await sendLacking(keys, send), [])
    assert(counts.whole <= 8)
  })

  test('goes whole once each where each rests on another, and is not tried again and again', async () => {
    const { send, counts } = receiver((number) => number)
    assert.deepEqual(await sendLacking(keys, send), [])
    assert.equal(counts.whole, keys.length)
    assert(counts.asTheyAre < 10 * keys.length)
  })

  test('is told of when it cannot be had', async () => {
    const { send } = receiver(
      (number) => number,
      (number) => number % 10 > 0,
    )
    assert.equal((await sendLacking(keys, send)).length, 100)
  })
})
