import assert from 'node:assert/strict'
import { test } from 'vitest'
import { plural, printBytes, printCount, printShare } from './amounts.ts'
import { printDuration } from './duration.ts'

test('counts have their thousands apart', () => {
  assert.deepEqual([0, 999, 1_000, 1_234_567].map(printCount), ['0', '999', '1,000', '1,234,567'])
  assert.deepEqual([plural(1, 'copy', 'copies'), plural(0, 'copy', 'copies')], ['1 copy', '0 copies'])
})

test('bytes never show a thousand of a unit', () => {
  assert.deepEqual([0, 1, 999, 1_000, 9_949, 9_950, 999_499, 999_500, 1.5e9, 2e18].map(printBytes), [
    '0 bytes',
    '1 byte',
    '999 bytes',
    '1.0 kB',
    '9.9 kB',
    '10 kB',
    '999 kB',
    '1.0 MB',
    '1.5 GB',
    '2,000 PB',
  ])
})

test('shares', () => {
  assert.deepEqual(
    [printShare(1, 3), printShare(1, 1_000), printShare(0, 9), printShare(5, 0)],
    ['33 %', '<1 %', '0 %', '0 %'],
  )
})

test('durations are in the largest unit that fits', () => {
  const dayMs = 86_400_000
  assert.deepEqual([0, 60_000, 5_400_000, dayMs, 45 * dayMs, 800 * dayMs].map(printDuration), [
    'less than a minute',
    '1 minute',
    '1 hour',
    '1 day',
    '1 month',
    '2 years',
  ])
})
