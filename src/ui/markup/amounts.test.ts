import assert from 'node:assert/strict'
import { test } from 'vitest'
import { locales } from '../language/locale.ts'
import { printBytes, printCount, printDecimal, printDigits, printDuration, printShare } from './amounts.ts'
import { printDay, printMoment, printShortDay } from './dates.ts'
import type { Html } from './html.ts'

const english = (shown: Html): string => shown.in(locales.en)
const german = (shown: Html): string => shown.in(locales.de)

test('counts have their thousands apart', () => {
  const counts = [0, 999, 1_000, 1_234_567].map(printCount)
  assert.deepEqual(counts.map(english), ['0', '999', '1,000', '1,234,567'])
  assert.deepEqual(counts.map(german), ['0', '999', '1.000', '1.234.567'])
})

test('bytes never show a thousand of a unit', () => {
  const sizes = [0, 1, 999, 1_000, 9_949, 9_950, 999_499, 999_500, 1.5e9, 2e18].map(printBytes)
  assert.deepEqual(sizes.map(english), [
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
  assert.deepEqual(sizes.slice(1, 5).map(german), ['1 Byte', '999 Byte', '1,0 kB', '9,9 kB'])
})

test('shares', () => {
  assert.deepEqual(
    [printShare(1, 3), printShare(1, 1_000), printShare(0, 9), printShare(5, 0)],
    ['33 %', '<1 %', '0 %', '0 %'],
  )
})

test('digits behind the point, as each language has it', () => {
  const numbers = [printDecimal(1_234.5, 1), printDigits('0.0012'), printDigits('1e-7')]
  assert.deepEqual(numbers.map(english), ['1,234.5', '0.0012', '1e-7'])
  assert.deepEqual(numbers.map(german), ['1.234,5', '0,0012', '1e-7'])
})

test('durations are in the largest unit that fits', () => {
  const dayMs = 86_400_000
  const durations = [0, 60_000, 5_400_000, dayMs, 45 * dayMs, 800 * dayMs].map(printDuration)
  assert.deepEqual(durations.map(english), [
    'less than a minute',
    '1 minute',
    '1 hour',
    '1 day',
    '1 month',
    '2 years',
  ])
  assert.deepEqual(durations.map(german), [
    'weniger als eine Minute',
    '1 Minute',
    '1 Stunde',
    '1 Tag',
    '1 Monat',
    '2 Jahre',
  ])
})

test('days are written as each language has it, in UTC', () => {
  const lateMs = Date.UTC(2020, 8, 12, 23, 5, 9)
  const days = [printDay(lateMs), printShortDay(lateMs), printMoment(lateMs)]
  assert.deepEqual(days.map(english), ['12 September 2020', '12 Sep 2020', '12 Sep 2020, 23:05:09'])
  assert.deepEqual(days.map(german), ['12. September 2020', '12. Sept. 2020', '12. Sept. 2020, 23:05:09'])
  assert.deepEqual(
    [0, 11].map((month) => english(printShortDay(Date.UTC(2021, month, 3)))),
    ['3 Jan 2021', '3 Dec 2021'],
  )
})
