import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { cameBack, newlyKnown } from './absence-history.ts'
import { defaultPatience, patienceMs } from './patience.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs
const { patienceMsMin, patienceMsMax, rareMs } = defaultPatience

describe('patience', () => {
  test('goes by the longest absence, not by the last', () => {
    const history = cameBack(cameBack(newlyKnown(0), 2 * dayMs), hourMs)
    assert.equal(patienceMs(history, rareMs, defaultPatience), 2 * dayMs)
  })

  test('is longer for who was away longer', () => {
    const restless = cameBack(newlyKnown(0), 3 * dayMs)
    const steady = cameBack(newlyKnown(0), 20 * hourMs)
    assert.ok(patienceMs(restless, yearMs, defaultPatience) > 2 * patienceMs(steady, yearMs, defaultPatience))
  })

  test('is longer for a peer that is hardly known than for one with the same past of years', () => {
    const history = cameBack(newlyKnown(0), dayMs)
    const patiences = [dayMs, 30 * dayMs, yearMs, 5 * yearMs].map((atMs) =>
      patienceMs(history, atMs, defaultPatience),
    )
    assert.deepEqual(
      patiences,
      patiences.toSorted((a, b) => b - a),
    )
    assert.ok(patiences[0]! > 5 * patiences[3]!)
  })

  test('stays within its bounds', () => {
    const longAway = cameBack(newlyKnown(0), 200 * dayMs)
    assert.equal(patienceMs(longAway, yearMs, defaultPatience), patienceMsMax)
    assert.equal(patienceMs(newlyKnown(0), 50 * yearMs, defaultPatience), patienceMsMin)
    assert.ok(patienceMs(newlyKnown(0), 0, defaultPatience) <= patienceMsMax)
  })
})
