import assert from 'node:assert/strict'
import { assert as check, integer, property } from 'fast-check'
import { describe, test } from 'vitest'
import { BadValue, bytes, contactOrNone, duration, type Kind, share, wholeNumber, yesOrNo } from './kinds.ts'

const readings: [Kind<unknown>, [unknown, unknown][], unknown[]][] = [
  [
    bytes as Kind<unknown>,
    [
      ['4096', 4096],
      [4096, 4096],
      ['1.5GiB', 1.5 * 2 ** 30],
      ['500 MB', 5e8],
      ['2kb', 2000],
    ],
    ['', '-1', '1XB', 'GB', '1e9', Infinity, null, '99999999TB'],
  ],
  [
    duration as Kind<unknown>,
    [
      ['250ms', 250],
      ['30s', 30_000],
      ['1.5h', 5_400_000],
      ['7d', 604_800_000],
      ['0s', 0],
    ],
    ['', '5', '-1s', '1w', 's', 5],
  ],
  [
    share as Kind<unknown>,
    [
      ['25%', 0.25],
      ['0.25', 0.25],
      [1, 1],
      ['0', 0],
    ],
    ['101%', '1.1', '-1', '', '%'],
  ],
  [
    wholeNumber(1, 9) as Kind<unknown>,
    [
      ['1', 1],
      [9, 9],
    ],
    ['0', '10', '1.5', '', ' ', 'x', null],
  ],
  [
    contactOrNone as Kind<unknown>,
    [
      ['', ''],
      [' mailto.me+crawl@example.org ', 'mailto.me+crawl@example.org'],
      ['https://example.org/crawler?a=1', 'https://example.org/crawler?a=1'],
    ],
    ['example.org', 'https://a b', 'https://a/\r\nX: y', 'https://a/)', 'a@b c', 'ftp://example.org/'],
  ],
  [
    yesOrNo as Kind<unknown>,
    [
      ['yes', true],
      [false, false],
      ['true', true],
      ['no', false],
    ],
    ['', 'maybe', 1, 0, null],
  ],
]

describe('what a person may write', () => {
  test.each(readings)('%#', (kind, good, bad) => {
    for (const [written, value] of good) assert.equal(kind.read(written), value, String(written))
    for (const written of bad) assert.throws(() => kind.read(written), BadValue, String(written))
  })

  test('a size or time is printed so that it reads back the same', () => {
    check(
      property(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (value) => {
        assert.equal(bytes.read(bytes.print(value)), value)
        assert.equal(duration.read(duration.print(value)), value)
      }),
      { numRuns: 1_000 },
    )
  })
})
