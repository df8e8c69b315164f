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
      fc.option(fc.integer({ min: 1, max: 16 }), { nil: undefined }),
      fc.array(plainRecord({ address: fc.stringMatching(/^[!-~]{1,45}$/), ms: fc.nat(60_000) })),
      (given, total, share, said) => {
        const answers = given.map(([one]) => one)
        const own = share === undefined ? {} : { share }
        const report =
          total === undefined ? undefined : { total, sites: given.map(([, load]) => load), ...own }
        const times = report === undefined ? [] : said
        const bytes = leadReplies.encode(answers, report, said)
        assert.deepEqual(leadReplies.decode(bytes, given.length), { answers, report, times })
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
