import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { changeKinds, ignoredReasons } from '../change-event.ts'
import { parseCursor, printCursor } from '../cursor.ts'
import { decodeEvent, encodeEvent, type StoredEvent } from '../event-coding.ts'
import { positionBytes } from '../local-events.ts'
import { readAnswer, readQuestion } from './questions.ts'

const counter = fc.integer({ min: 0, max: 2 ** 47 })
const position = fc
  .uint8Array({ minLength: positionBytes, maxLength: positionBytes })
  .map((bytes) => Buffer.from(bytes))
const question = plainRecord({
  instance: counter,
  generation: counter,
  after: position,
  missed: fc.option(plainRecord({ takenAfter: counter, upTo: position }), { nil: undefined }),
  waitMs: fc.nat(10_000),
  cursor: counter,
})
const digest = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => ({ algorithm: 'sha256' as const, bytes }))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const event = plainRecord({
  stamp: counter,
  sequence: counter,
  epoch: counter,
  kind: fc.constantFrom(...changeKinds),
  id: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  atMs: counter,
  url: fc.webUrl(),
  site: fc.domain(),
  job: maybe(fc.constant('50cc3c5bea2cc322b733')),
  status: maybe(fc.integer({ min: 0, max: 999 })),
  mime: maybe(fc.constant('text/html')),
  digestBefore: maybe(digest),
  digest: maybe(digest),
  bytesBefore: maybe(counter),
  bytes: maybe(counter),
  targetBefore: maybe(fc.webUrl()),
  target: maybe(fc.webUrl()),
  cosmetic: fc.boolean(),
  wordShare: maybe(fc.constantFrom(0, 0.25, 1)),
  linksAdded: maybe(counter),
  linksRemoved: maybe(counter),
  titleBefore: maybe(fc.string({ maxLength: 100 })),
  title: maybe(fc.string({ maxLength: 100 })),
  failures: maybe(fc.nat(255)),
  ignored: maybe(
    fc.array(
      fc.record(
        {
          path: fc.string({ maxLength: 100 }),
          reason: fc.constantFrom(...ignoredReasons),
          before: fc.string({ maxLength: 50 }),
          after: fc.string({ maxLength: 50 }),
        },
        { noNullPrototype: true },
      ),
      { maxLength: 5 },
    ),
  ),
}) as fc.Arbitrary<StoredEvent>
const anyBytes = fc.uint8Array({ maxLength: 300 })

export const properties = [
  {
    name: 'a question about events is read as it was written',
    property: fc.property(question, (asked) => {
      assert.deepEqual(readQuestion.decode(readQuestion.encode(asked)), asked)
    }),
  },
  {
    name: 'an event is read as it was written',
    property: fc.property(event, (written) => {
      assert.deepEqual(decodeEvent(encodeEvent(written)), written)
    }),
  },
  {
    name: 'a title, a type or a share that nobody would write can be read back all the same',
    property: fc.property(event, fc.string({ maxLength: 3_000 }), fc.double(), (written, text, share) => {
      const wordShare = Number.isNaN(share) ? 0 : share
      decodeEvent(encodeEvent({ ...written, title: text, titleBefore: text, mime: text, wordShare }))
    }),
  },
  {
    name: 'any bytes are read or refused',
    property: fc.property(anyBytes, (bytes) => {
      refusedOrDone(() => readQuestion.decode(bytes))
      refusedOrDone(() => readAnswer.decode(bytes))
      refusedOrDone(() => decodeEvent(bytes))
    }),
  },
  {
    name: 'a cursor is read as it was printed, and any text is one or refused',
    property: fc.property(counter, fc.string(), (stamp, text) => {
      const known = Math.min(stamp, 2 ** 47 - 1)
      assert.equal(parseCursor(printCursor(known), 0), known)
      refusedOrDone(() => parseCursor(text, 0))
    }),
  },
]
