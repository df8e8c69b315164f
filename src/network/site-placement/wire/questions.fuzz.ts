import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { type LeadAnswer, type LeadQuestion, leadAnswers, leadQuestion } from './questions.ts'

const site = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as RingKey)
const members = fc.uniqueArray(fc.stringMatching(/^[!-~]{1,60}$/), { maxLength: 6 })

const question: fc.Arbitrary<LeadQuestion> = fc.oneof(
  plainRecord({ kind: fc.constant('lead' as const), sites: fc.array(plainRecord({ site, members })) }),
  plainRecord({ kind: fc.constant('back' as const), sites: fc.array(site) }),
)
const answer = fc.constantFrom<LeadAnswer>('leading', 'coming', 'no')

export const properties = [
  {
    name: 'questions about who crawls sites come as they went',
    property: fc.property(question, (asked) =>
      assert.deepEqual(leadQuestion.decode(leadQuestion.encode(asked)), asked),
    ),
  },
  {
    name: 'answers about who crawls sites come as they went',
    property: fc.property(fc.array(answer), (given) =>
      assert.deepEqual(leadAnswers.decode(leadAnswers.encode(given), given.length), given),
    ),
  },
  {
    name: 'whatever bytes come about who crawls sites, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(3), (bytes, kind) => {
      for (const given of [bytes, Buffer.concat([Uint8Array.of(kind), bytes])]) {
        refusedOrDone(() => leadQuestion.decode(given))
        refusedOrDone(() => leadAnswers.decode(given, 3))
      }
    }),
  },
]
