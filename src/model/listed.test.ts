import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { allOf, firstOf, inChunks, type Listed } from './listed.ts'

/** Numbers, and how many of them were made. */
function counted(count: number): { here: Iterable<number>; coming: AsyncIterable<number>; made(): number } {
  let made = 0
  const here = {
    *[Symbol.iterator]() {
      for (let number = 0; number < count; number++) {
        made++
        yield number
      }
    },
  }
  const coming = {
    async *[Symbol.asyncIterator]() {
      yield* here
    },
  }
  return { here, coming, made: () => made }
}

describe.each(['here', 'coming'] as const)('a list that is %s', (kind) => {
  const listOf = (count: number): Listed<number> => counted(count)[kind]

  test('is read whole, or its first', async () => {
    assert.deepEqual(await allOf(listOf(3)), [0, 1, 2])
    assert.equal(await firstOf(listOf(3)), 0)
    assert.deepEqual(await allOf(listOf(0)), [])
    assert.equal(await firstOf(listOf(0)), undefined)
  })

  test('is made no further than it is read', async () => {
    const numbers = counted(1_000)
    await firstOf(numbers[kind])
    assert.equal(numbers.made(), 1)
  })

  test.each([0, 1, 3, 4, 6, 7])('of %i comes in chunks', async (count) => {
    const chunks = await Array.fromAsync(inChunks(listOf(count), 3))
    assert.deepEqual(chunks.flat(), await allOf(listOf(count)))
    assert(chunks.slice(0, -1).every(({ length }) => length === 3))
    assert(chunks.every(({ length }) => length > 0 && length <= 3))
  })
})

test('what is here is given at once', () => {
  assert.deepEqual(allOf([1, 2]), [1, 2])
  assert.equal(firstOf([1, 2]), 1)
})
