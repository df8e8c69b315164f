import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from './fixtures/property-tests.ts'
import { properties } from './timestamp.fuzz.ts'
import {
  parseTimestamp,
  parseWarcDate,
  printTimestamp,
  printTimestampMs,
  printWarcDate,
  printWarcDateMs,
  timestampSpan,
} from './timestamp.ts'

const leapDayMs = Date.parse('2024-02-29T23:59:58.123Z')

test('a moment is printed in each spelling', () => {
  assert.equal(printTimestamp(leapDayMs), '20240229235958')
  assert.equal(printTimestampMs(leapDayMs), '20240229235958123')
  assert.equal(printWarcDate(leapDayMs), '2024-02-29T23:59:58Z')
  assert.equal(printWarcDateMs(leapDayMs), '2024-02-29T23:59:58.123Z')
})

test('only the years 0 to 9999 can be printed', () => {
  for (const ms of [Date.parse('-000001-12-31T23:59:59Z'), 8.64e15, Number.NaN, Infinity]) {
    assert.throws(() => printTimestamp(ms), { name: 'TimestampError', code: 'timestamp-out-of-range' })
  }
  assert.throws(() => parseWarcDate('0000-01-01T00:00:00+01:00'), { code: 'timestamp-out-of-range' })
})

describe('digits', () => {
  test('of 14 and 17 are a moment', () => {
    assert.equal(parseTimestamp('20240229235958'), leapDayMs - 123)
    assert.equal(parseTimestamp('20240229235958123'), leapDayMs)
    assert.equal(parseTimestamp('00010101000000'), Date.parse('0001-01-01T00:00:00Z'))
  })

  const noMoments = [
    ...[
      '20241301000000',
      '20240001000000',
      '20230229000000',
      '21000229000000',
      '20240431000000',
      '20240100000000',
    ],
    ...[
      '20240101240000',
      '20240101006000',
      '20240101000060',
      '2024',
      '202402292359581',
      '2024022923595 ',
      '',
    ],
  ]
  test.each(noMoments)('%j are none', (text) => {
    assert.throws(() => parseTimestamp(text), { name: 'TimestampError', code: 'timestamp-malformed' })
  })

  const spans: readonly (readonly [digits: string, from: string, to: string])[] = [
    ['2', '2000-01-01T00:00:00Z', '3000-01-01T00:00:00Z'],
    ['202', '2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
    ['2024', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['20240', '2024-01-01T00:00:00Z', '2024-10-01T00:00:00Z'],
    ['20241', '2024-10-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['202402', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['202302', '2023-02-01T00:00:00Z', '2023-03-01T00:00:00Z'],
    ['2024022', '2024-02-20T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['20240229', '2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['202402292', '2024-02-29T20:00:00Z', '2024-03-01T00:00:00Z'],
    ['2024022923', '2024-02-29T23:00:00Z', '2024-03-01T00:00:00Z'],
    ['202402292359', '2024-02-29T23:59:00Z', '2024-03-01T00:00:00Z'],
    ['20240229235958', '2024-02-29T23:59:58Z', '2024-02-29T23:59:59Z'],
    ['20240229235958123', '2024-02-29T23:59:58.123Z', '2024-02-29T23:59:58.124Z'],
  ]
  test.each(spans)('%s stand for the time from %s to %s', (digits, from, to) => {
    assert.deepEqual(timestampSpan(digits), { fromMs: Date.parse(from), toMs: Date.parse(to) })
  })

  const noSpans = [
    '',
    '20242',
    '202413',
    '2024023',
    '20230229',
    '202402293',
    '20240229236',
    '1'.repeat(18),
    '2024-02',
    '٢٠٢٤',
  ]
  test.each(noSpans)('%j stand for no time', (text) => {
    assert.throws(() => timestampSpan(text), { code: 'timestamp-malformed' })
  })
})

describe('a WARC-Date', () => {
  const dates: readonly (readonly [text: string, ms: number])[] = [
    ['2024-02-29T23:59:58Z', leapDayMs - 123],
    ['2024-02-29T23:59:58.1Z', leapDayMs - 23],
    ['2024-02-29T23:59:58.123Z', leapDayMs],
    ['2024-02-29T23:59:58.123999999Z', leapDayMs],
    ['2024-02-29T23:59:58.000000001Z', leapDayMs - 123],
    ['2024-03-01T00:59:58+01:00', leapDayMs - 123],
    ['2024-02-29T18:29:58-05:30', leapDayMs - 123],
    ['2024-02-29T23:59:58', leapDayMs - 123],
    ['2024-02-29T23:59Z', leapDayMs - 58_123],
    ['2024-02-29', Date.parse('2024-02-29T00:00:00Z')],
    ['2024-02', Date.parse('2024-02-01T00:00:00Z')],
    ['2024', Date.parse('2024-01-01T00:00:00Z')],
  ]
  test.each(dates)('%s is understood', (text, ms) => {
    assert.equal(parseWarcDate(text), ms)
  })

  const noDates = [
    ...['', '2024-02-30T00:00:00Z', '2023-02-29T00:00:00Z', '2024-13-01T00:00:00Z', '2024-02-29T24:00:00Z'],
    ...['2024-02-29T23:59:60Z', '2024-02-29 23:59:58Z', '2024-02-29T23:59:58.Z', '20240229235958'],
    ...['2024-02-29T23:59:58.1234567890Z', '2024-02-29T23:59:58+24:00', '2024-02-29T23:59:58Zx', '24-02-29'],
  ]
  test.each(noDates)('%j is none', (text) => {
    assert.throws(() => parseWarcDate(text), { name: 'TimestampError', code: 'timestamp-malformed' })
  })
})

describe('whatever the text', () => {
  testProperties(properties, 500)
})
