import assert from 'node:assert/strict'
import fc from 'fast-check'
import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../record/ring-key.ts'
import { epochOf, type Stewardship } from '../stewardship.ts'
import {
  type AttemptAnswer,
  type Question,
  readAttemptAnswers,
  readQuestion,
  readRecalled,
  writeAttemptAnswers,
  writeQuestion,
  writeRecalled,
} from './questions.ts'
import { decodeSiteRecord, encodeSiteRecord } from './stewardship-coding.ts'

const site = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as RingKey)
const peer = fc.stringMatching(/^[!-~]{1,60}$/)
const number = fc.maxSafeNat()
const stewardship: fc.Arbitrary<Stewardship> = record({
  epoch: fc.integer({ min: 1, max: 2 ** 40 }),
  steward: peer,
  members: fc.uniqueArray(peer, { minLength: 1, maxLength: 6 }),
})
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const ballot = record({ round: number, peer })
const accepted = record({ ballot, stewardship })
const attempt = fc
  .record({ site, base: maybe(stewardship), ballot, wish: maybe(stewardship) })
  .map(({ wish, ...rest }) => ({ ...rest, wish: wish && { ...wish, epoch: epochOf(rest.base) + 1 } }))
const siteStewardships = fc.array(record({ site, stewardship }))

const question: fc.Arbitrary<Question> = fc.oneof(
  record({ kind: fc.constant('renew' as const), session: number }),
  record({ kind: fc.constant('attest' as const), session: number, sites: fc.array(site) }),
  record({ kind: fc.constant('attempt' as const), attempts: fc.array(attempt) }),
  record({ kind: fc.constantFrom('learn' as const, 'yield' as const), sites: siteStewardships }),
  record({ kind: fc.constant('lay-down' as const), sites: fc.array(record({ site, epoch: number })) }),
  record({ kind: fc.constant('recall' as const), sites: fc.array(site) }),
)

const answer: fc.Arbitrary<AttemptAnswer> = fc.oneof(
  record({ kind: fc.constant('agreed' as const), accepted: maybe(accepted) }),
  record({ kind: fc.constant('decided' as const), decided: stewardship }),
  record({ kind: fc.constant('outbid' as const), ballot }),
  record({ kind: fc.constant('bound' as const), to: stewardship, leftMs: fc.nat() }),
)

export const properties = [
  {
    name: 'questions to members come as they went',
    property: fc.property(question, (asked) => assert.deepEqual(readQuestion(writeQuestion(asked)), asked)),
  },
  {
    name: 'answers to attempts come as they went',
    property: fc.property(fc.array(answer), (given) =>
      assert.deepEqual(readAttemptAnswers(writeAttemptAnswers(given), given.length), given),
    ),
  },
  {
    name: 'what members know is told and kept as it is',
    property: fc.property(
      record({
        decided: maybe(stewardship),
        isLaidDown: fc.boolean(),
        promised: maybe(ballot),
        accepted: maybe(accepted),
      }),
      (record) => {
        assert.deepEqual(decodeSiteRecord(encodeSiteRecord(record)), record)
        assert.deepEqual(readRecalled(writeRecalled([record.decided]), 1), [record.decided])
      },
    ),
  },
  {
    name: 'whatever bytes come to a member, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(7), (bytes, kind) => {
      for (const given of [bytes, Buffer.concat([Uint8Array.of(kind), bytes])]) {
        refusedOrDone(() => readQuestion(given))
        refusedOrDone(() => readAttemptAnswers(given, 3))
        refusedOrDone(() => readRecalled(given, 3))
      }
    }),
  },
]

/** Objects like those of the program: with a prototype. */
function record<T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true }) as fc.Arbitrary<T>
}

function refusedOrDone(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
  }
}
