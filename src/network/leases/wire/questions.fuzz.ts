import assert from 'node:assert/strict'
import fc from 'fast-check'
import { counterMax } from '../../../formats/wire/message-bytes.ts'
import { plainRecord, refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { epochOf, type Lease } from '../lease.ts'
import { siteRecord } from './lease-coding.ts'
import {
  type AttemptAnswer,
  attemptAnswers,
  memberQuestion,
  type Question,
  recollections,
} from './questions.ts'

const site = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as RingKey)
const peer = fc.stringMatching(/^[!-~]{1,60}$/)
const number = fc.integer({ min: 0, max: counterMax })
const epoch = fc.integer({ min: 1, max: 2 ** 40 })
const members = fc.uniqueArray(peer, { minLength: 1, maxLength: 6 })
const lease: fc.Arbitrary<Lease> = plainRecord({
  epoch,
  holder: peer,
  members,
  before: fc.array(plainRecord({ epoch, members }), { maxLength: 4 }),
})
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const ballot = plainRecord({ round: number, peer })
const accepted = plainRecord({ ballot, lease })
const attempt = fc
  .record({ site, base: maybe(lease), ballot, proposal: maybe(lease) })
  .map(({ proposal, ...rest }) => ({
    ...rest,
    proposal: proposal && { ...proposal, epoch: epochOf(rest.base) + 1 },
  }))
const siteLeases = fc.array(plainRecord({ site, lease }))

const question: fc.Arbitrary<Question> = fc.oneof(
  plainRecord({ kind: fc.constant('renew' as const), session: number }),
  plainRecord({ kind: fc.constant('attest' as const), session: number, sites: fc.array(site) }),
  plainRecord({ kind: fc.constant('attempt' as const), attempts: fc.array(attempt) }),
  plainRecord({ kind: fc.constantFrom('learn' as const, 'yield' as const), sites: siteLeases }),
  plainRecord({
    kind: fc.constant('lay-down' as const),
    sites: fc.array(plainRecord({ site, epoch: number })),
  }),
  plainRecord({ kind: fc.constant('recall' as const), sites: fc.array(site) }),
)

const answer: fc.Arbitrary<AttemptAnswer> = fc.oneof(
  plainRecord({ kind: fc.constant('agreed' as const), accepted: maybe(accepted) }),
  plainRecord({ kind: fc.constant('decided' as const), decided: lease }),
  plainRecord({ kind: fc.constant('outbid' as const), ballot }),
  plainRecord({ kind: fc.constant('bound' as const), to: lease, leftMs: fc.nat() }),
  plainRecord({ kind: fc.constant('unsure' as const) }),
)

export const properties = [
  {
    name: 'questions to members come as they went',
    property: fc.property(question, (asked) =>
      assert.deepEqual(memberQuestion.decode(memberQuestion.encode(asked)), asked),
    ),
  },
  {
    name: 'answers to attempts come as they went',
    property: fc.property(fc.array(answer), (given) =>
      assert.deepEqual(attemptAnswers.decode(attemptAnswers.encode(given), given.length), given),
    ),
  },
  {
    name: 'what members know is told and kept as it is',
    property: fc.property(
      plainRecord({
        decided: maybe(lease),
        isLaidDown: fc.boolean(),
        promised: maybe(ballot),
        accepted: maybe(accepted),
      }),
      (record) => {
        assert.deepEqual(siteRecord.decode(siteRecord.encode(record)), record)
        const { decided, accepted } = record
        assert.deepEqual(recollections.decode(recollections.encode([record]), 1), [{ decided, accepted }])
      },
    ),
  },
  {
    name: 'whatever bytes come to a member, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(7), (bytes, kind) => {
      for (const given of [bytes, Buffer.concat([Uint8Array.of(kind), bytes])]) {
        refusedOrDone(() => memberQuestion.decode(given))
        refusedOrDone(() => attemptAnswers.decode(given, 3))
        refusedOrDone(() => recollections.decode(given, 3))
      }
    }),
  },
]
