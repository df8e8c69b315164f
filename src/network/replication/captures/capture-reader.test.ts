import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../../errors.ts'
import type { CaptureCopy } from '../../../store/copying/copying.ts'
import { CaptureReader, type Portion, portionBytesMax } from './capture-reader.ts'
import type { HeldCaptures } from './held-captures.ts'

interface Held {
  /** As the index tells. */
  told: number
  /** What comes when it is read; as many bytes as were told, when not given. */
  read?: () => CaptureCopy
}

const key = (number: number): Uint8Array => Uint8Array.of(number)

/** Captures by number, and which of them were read. */
function readingOf(captures: Record<number, Held>): { reading: CaptureReader; read: number[] } {
  const read: number[] = []
  const held = {
    roster: { cursorOf: ([number]: Uint8Array) => (captures[number!] ? String(number) : undefined) },
    offer: (cursor: string) => {
      const { told, read: make } = captures[Number(cursor)]!
      return {
        sizeBytes: told,
        read: async (memory: Uint8Array) => {
          read.push(Number(cursor))
          if (make !== undefined) return make()
          return memory.subarray(0, told).fill(Number(cursor))
        },
      }
    },
  }
  return { reading: new CaptureReader({ held: held as unknown as HeldCaptures }), read }
}

async function all(portions: AsyncIterable<Portion>): Promise<Portion[]> {
  return Array.fromAsync(portions)
}

const numbers = (portion: Portion): number[] => portion.captures.map(({ key: [number] }) => number!)

describe('reading captures for sending', () => {
  test('as many as fit go together, and say what comes next', async () => {
    const { reading } = readingOf({ 1: { told: 40 }, 2: { told: 60 }, 3: { told: 1 } })
    const portions = await all(reading.portions([1, 2, 3].map(key), false, 100))
    assert.deepEqual(portions.map(numbers), [[1, 2], [3]])
    assert.deepEqual(
      portions.map(({ next }) => next?.[0]),
      [3, undefined],
    )
    const bytes = portions.flatMap(({ captures }) => captures.map((capture) => capture.bytes!))
    assert.deepEqual(
      bytes.map((some) => [some.length, new Set(some)]),
      [
        [40, new Set([1])],
        [60, new Set([2])],
        [1, new Set([3])],
      ],
    )
  })

  test('nothing is read that does not go', async () => {
    const { reading, read } = readingOf({ 1: { told: 60 }, 2: { told: 60 }, 3: { told: 60 } })
    for await (const { next } of reading.portions([1, 2, 3].map(key), false, 100)) {
      assert.deepEqual(next, key(2))
      break
    }
    assert.deepEqual(read, [1])
  })

  test('what is not here, or damaged here, is told', async () => {
    const damaged = (): never => {
      throw new PolyhistorError('warc-bad-checksum', 'rotten')
    }
    const { reading } = readingOf({ 1: { told: 5 }, 2: { told: 5, read: damaged } })
    const [portion] = await all(reading.portions([1, 2, 3].map(key), false))
    assert.deepEqual(numbers(portion!), [1])
    assert.deepEqual(portion!.missing, [key(2), key(3)])
  })

  test('what turns out larger than was told goes with the next', async () => {
    const large = (): CaptureCopy => new Uint8Array(90)
    const { reading } = readingOf({ 1: { told: 10, read: large }, 2: { told: 20 }, 3: { told: 20 } })
    const portions = await all(reading.portions([1, 2, 3].map(key), true, 100))
    assert.deepEqual(portions.map(numbers), [[1], [2, 3]])
    assert.deepEqual(portions[0]!.next, key(2))
  })

  test('what is asked for in pieces goes alone', async () => {
    const flowing = (): CaptureCopy => ({ async *[Symbol.asyncIterator]() {} })
    const large = { told: 2 * portionBytesMax, read: flowing }
    const { reading } = readingOf({ 1: { told: 10 }, 2: large, 3: { told: 10 } })
    assert.deepEqual((await all(reading.portions([1, 2, 3].map(key), false))).map(numbers), [[1], [2], [3]])
  })

  test('memory is used again when it was given back, and not before', async () => {
    const { reading } = readingOf({ 1: { told: 60 }, 2: { told: 60 }, 3: { told: 60 } })
    const buffers: unknown[] = []
    for await (const { captures, next, release } of reading.portions([1, 2, 3].map(key), false, 100)) {
      buffers.push(captures[0]!.bytes!.buffer)
      if (next?.[0] === 3) release()
    }
    assert.notEqual(buffers[0], buffers[1])
    assert.equal(buffers[1], buffers[2])
  })
})
