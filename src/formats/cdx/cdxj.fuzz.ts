// What must hold of every index line.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { printTimestamp, printTimestampMs } from '../../model/timestamp.ts'
import { compareLines, type IndexLine, printCdxjLine } from './cdxj.ts'
import { parsedCdxjLine } from './fixtures/parsed-line.ts'

/** Fields that are not left out as unknown. */
const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value !== '-')
const moment = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') })
const known = ['url', 'mime', 'status', 'digest', 'length', 'offset', 'filename']
const more = fc
  .dictionary(
    text.filter((name) => !known.includes(name)),
    fc.jsonValue(),
    { minKeys: 1, maxKeys: 3, noNullPrototype: true },
  )
  // JSON has no -0.
  .map((fields) => JSON.parse(JSON.stringify(fields)) as Record<string, unknown>)

const indexLine: fc.Arbitrary<IndexLine> = fc.record(
  {
    surt: text.map((key) => key.replace(/[ \n\r]/g, '_')).filter((key) => key !== '-'),
    timestamp: fc.oneof(moment.map(printTimestamp), moment.map(printTimestampMs)),
    url: text,
    mime: text,
    status: fc.nat({ max: 999 }),
    digest: text,
    length: fc.maxSafeNat(),
    offset: fc.maxSafeNat(),
    filename: text,
    more,
  },
  { requiredKeys: ['surt', 'timestamp', 'url'], noNullPrototype: true },
)

export const properties = [
  {
    name: 'a line is read back as it was written, on one line',
    property: fc.property(indexLine, (line) => {
      const printed = printCdxjLine(line)
      assert.doesNotMatch(printed, /[\n\r]/)
      assert.deepEqual(parsedCdxjLine(printed), line)
    }),
  },
  {
    name: 'lines are ordered as their UTF-8 bytes are',
    property: fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
      assert.equal(
        Math.sign(compareLines(left, right)),
        Buffer.compare(Buffer.from(left), Buffer.from(right)),
      )
    }),
  },
]
