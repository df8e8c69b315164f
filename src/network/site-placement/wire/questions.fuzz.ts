import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import {
  type LeadAnswer,
  type LeadQuestion,
  leadAnswers,
  leadQuestion,
  leadReplies,
  loadMax,
} from './questions.ts'

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
    name: 'answers come with the load behind them, and are read without it by who knows nothing of it',
    property: fc.property(
      fc.array(fc.tuple(answer, fc.nat(loadMax))),
      fc.option(fc.nat(loadMax), { nil: undefined }),
      fc.option(fc.nat(16), { nil: undefined }),
      (given, total, share) => {
        const answers = given.map(([one]) => one)
        const said = share === undefined ? {} : { share }
        const report =
          total === undefined ? undefined : { total, sites: given.map(([, load]) => load), ...said }
        const bytes = leadReplies.encode(answers, report)
        assert.deepEqual(leadReplies.decode(bytes, given.length), { answers, report })
        assert.deepEqual(leadAnswers.decode(bytes, given.length), answers)
      },
    ),
  },
  {
    name: 'whatever bytes come about who crawls sites, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(3), (bytes, kind) => {
      for (const given of [bytes, Buffer.concat([Uint8Array.of(kind), bytes])]) {
        refusedOrDone(() => leadQuestion.decode(given))
        refusedOrDone(() => leadReplies.decode(given, 3))
      }
    }),
  },
]
