import assert from 'node:assert/strict'
import { test } from 'vitest'
import { compared, comparisonCells } from './compared.ts'

const quiet = [0.99, 1, 1.01, 1.02, 0.98, 1, 1.01, 0.99, 1, 1.02]

function pairsOf(ratios: readonly number[]) {
  // The machine is slower in every other round, for both.
  return ratios.map((ratio, round) => ({ before: round % 2 ? 100 : 50, now: ratio * (round % 2 ? 100 : 50) }))
}

test('a disturbed round does not decide', () => {
  const { ratio, geometricMean } = compared(pairsOf([...quiet, 5]))
  assert.equal(ratio, 1)
  assert.ok(geometricMean > 1.1)
})

test('what is slower in most rounds is slower', () => {
  const { ratio, low } = compared(pairsOf(quiet.map((it) => it * 1.1)))
  assert.ok(ratio > 1.09)
  assert.ok(low > 1.07)
})

test('the interval leaves out as many rounds at each end as chance allows', () => {
  // Of ten coins, the second-lowest to the second-highest: 97.9 %; of twenty, the sixth: 95.9 %.
  const ten = Array.from({ length: 10 }, (_, at) => 1 + at / 100)
  const twenty = Array.from({ length: 20 }, (_, at) => 1 + at / 100)
  assert.equal(comparisonCells(compared(pairsOf(ten)))[1], '1.010 to 1.080')
  assert.equal(comparisonCells(compared(pairsOf(twenty)))[1], '1.050 to 1.140')
  assert.equal(comparisonCells(compared(pairsOf([1, 1.1, 1.2])))[1], '1.000 to 1.200')
})
