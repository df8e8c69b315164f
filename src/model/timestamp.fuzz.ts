// What must hold of every moment, and of every text that claims to be one.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  parseTimestamp,
  parseWarcDate,
  printTimestamp,
  printTimestampMs,
  printWarcDate,
  printWarcDateMs,
  TimestampError,
  timestampSpan,
} from './timestamp.ts'

const moment = fc.integer({
  min: Date.parse('0000-01-01T00:00:00Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
})
const claimed = fc.oneof(
  fc.string(),
  fc.stringMatching(/^[0-9]{1,18}$/),
  fc.stringMatching(/^[0-9TZ:.+-]{4,32}$/),
)

export const properties = [
  {
    name: 'a moment is read back, to the millisecond or to the second',
    property: fc.property(moment, (ms) => {
      const second = Math.floor(ms / 1000) * 1000
      assert.equal(parseTimestamp(printTimestampMs(ms)), ms)
      assert.equal(parseTimestamp(printTimestamp(ms)), second)
      assert.equal(parseWarcDate(printWarcDateMs(ms)), ms)
      assert.equal(parseWarcDate(printWarcDate(ms)), second)
    }),
  },
  {
    name: 'the span of a shortened timestamp holds the moment, and the spans of longer ones',
    property: fc.property(moment, fc.integer({ min: 1, max: 16 }), (ms, length) => {
      const wide = timestampSpan(printTimestampMs(ms).slice(0, length))
      const narrow = timestampSpan(printTimestampMs(ms).slice(0, length + 1))
      assert.ok(
        wide.fromMs <= narrow.fromMs && narrow.fromMs <= ms && ms < narrow.toMs && narrow.toMs <= wide.toMs,
      )
      assert.ok(printTimestampMs(wide.fromMs).startsWith(printTimestampMs(ms).slice(0, length)))
      assert.ok(printTimestampMs(wide.toMs - 1).startsWith(printTimestampMs(ms).slice(0, length)))
    }),
  },
  {
    name: 'a text is a moment, or refused with a TimestampError',
    property: fc.property(claimed, (text) => {
      for (const parse of [parseTimestamp, parseWarcDate, (digits: string) => timestampSpan(digits).toMs]) {
        try {
          assert.ok(Number.isSafeInteger(parse(text)))
        } catch (error) {
          assert.ok(error instanceof TimestampError, `threw ${error}`)
        }
      }
    }),
  },
]
