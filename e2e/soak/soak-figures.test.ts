import assert from 'node:assert/strict'
import { test } from 'vitest'
import { delayBounds } from '../../src/app/status/event-loop-delay.ts'
import { delayOf, figuresOf, type Sample } from './soak-figures.ts'

/** An hour of a peer: what it keeps grows, and garbage comes and goes. */
function hourOf(at: (seconds: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 361 }, (_, turn) => {
    const seconds = turn * 10
    return {
      seconds,
      peer: 'peer-0',
      load: 1,
      residentBytes: 0,
      ownBytes: 200e6 + (turn % 7) * 10e6,
      heapBytes: 60e6,
      bufferBytes: 20e6,
      descriptors: 80 + (turn % 5),
      threads: 12,
      diskBytes: 50e6 + turn * 100 * 3_000,
      captures: turn * 100,
      fetched: turn * 100,
      cpuSeconds: turn,
      delays: delayBounds.map(() => turn * 1_000),
      ...at(seconds),
    }
  })
}

test('what goes up and down and what grows with what is kept is well', () => {
  const figures = figuresOf(hourOf(() => ({})))
  assert.deepEqual(figures.failures, [])
  assert.equal(Math.round(figures.bytesPerCapture), 3_000)
  assert.equal(Math.round(figures.diskBytesPerHour), 108_000_000)
  assert.ok(Math.abs(figures.ownBytesPerHour) < 2e6)
})

test('memory that is kept for good is found below the garbage', () => {
  const { failures } = figuresOf(
    hourOf((seconds) => ({ ownBytes: 200e6 + seconds * 20_000 + (seconds % 70) * 1e6 })),
  )
  assert.equal(failures.length, 1)
  assert.match(failures[0]!, /memory grew by 1\d\.\d %/)
})

test('memory that grows in the first half only is well: caches fill', () => {
  const { failures } = figuresOf(hourOf((seconds) => ({ ownBytes: 100e6 + Math.min(seconds, 1_700) * 1e5 })))
  assert.deepEqual(failures, [])
})

test('descriptors that are never closed are found', () => {
  const { failures } = figuresOf(hourOf((seconds) => ({ descriptors: 80 + Math.floor(seconds / 60) })))
  assert.match(failures[0]!, /descriptors were open/)
})

test('disk that grows faster than what is kept is found', () => {
  const { failures } = figuresOf(hourOf((seconds) => ({ diskBytes: (seconds / 10) ** 2 * 1_000 })))
  assert.match(failures[0]!, /2\.\d times the disk/)
})

test('a quantile of delays is that of the time between two samples', () => {
  const before = delayBounds.map(() => 1_000_000)
  // 990 in 2 ms, 9 more in 5 ms, one above 200 ms and within 300.
  const after = before.map((count, index) => {
    const bound = delayBounds[index]!
    return count + (bound < 0.005 ? 990 : bound < 0.3 ? 999 : 1_000)
  })
  assert.equal(delayOf(before, after, 0.999), 0.005)
  assert.equal(delayOf(before, after, 0.5), (0.002 * 500) / 990)
  assert.ok(delayOf(before, after, 0.9995) > 0.2)
})
