import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { clockLack } from './clock-offset.ts'

const hourMs = 3_600_000
const seen = (...offsets: (number | undefined)[]) => ({
  neighbours: offsets.map((clockOffsetMs) => ({ clockOffsetMs })),
})

describe('the clock of this machine', () => {
  test('is nothing to speak of where it is near to the others’, or nobody is there to compare', () => {
    assert.equal(clockLack(seen()), undefined)
    assert.equal(clockLack(seen(undefined)), undefined)
    assert.equal(clockLack(seen(20_000, -3, 5_000)), undefined)
  })

  test('is told of where it differs from most others’', () => {
    assert.match(clockLack(seen(-25 * hourMs, -25 * hourMs + 5, undefined))!, /25 h ahead/)
    assert.match(clockLack(seen(5 * 60_000, 5 * 60_000 + 1, 5 * 60_000))!, /5 min behind/)
  })

  test('is not told of when one other is wrong', () => {
    assert.equal(clockLack(seen(25 * hourMs, 2, 3)), undefined)
    assert.equal(clockLack(seen(25 * hourMs, 2)), undefined)
    assert.equal(clockLack(seen(-25 * hourMs, 2)), undefined)
  })
})
