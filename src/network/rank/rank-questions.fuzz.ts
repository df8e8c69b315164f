import assert from 'node:assert/strict'
import fc from 'fast-check'
import { counterMax } from '../../formats/wire/message-bytes.ts'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { ringKeyFromBytes } from '../../model/ring-key.ts'
import { checkPlan } from './planned-parts.ts'
import {
  partState,
  type RankPiece,
  type RankPlan,
  type RankQuestion,
  rankAnswer,
  rankPoints,
  rankQuestion,
} from './rank-questions.ts'
import { StepExchange } from './step-exchange.ts'

const ringKey = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(ringKeyFromBytes)
const counter = fc.integer({ min: 0, max: counterMax })
const round = fc.nat(1_000)
const name = fc.stringMatching(/^[a-z]{1,20}$/)
const plan: fc.Arbitrary<RankPlan> = plainRecord({
  run: counter,
  round,
  participants: fc.array(name, { maxLength: 5 }),
  positions: fc.array(plainRecord({ place: ringKey, participant: fc.nat(6) }), { maxLength: 8 }),
  damping: fc.double({ min: 0, max: 0.99, noNaN: true }),
  tolerance: fc.double({ min: 1e-14, max: 1, noNaN: true }),
  seeds: fc.array(name, { maxLength: 3 }),
})
const piece: fc.Arbitrary<RankPiece> = plainRecord({
  run: counter,
  round,
  step: fc.nat(4),
  piece: fc.nat(4),
  pieces: fc.nat(4),
  bytes: fc.uint8Array({ maxLength: 20 }),
})
const question: fc.Arbitrary<RankQuestion> = fc.oneof(
  plan.map((fields) => ({ kind: 'begin' as const, ...fields })),
  piece.map((fields) => ({ kind: 'piece' as const, ...fields })),
  plainRecord({ kind: fc.constant('state' as const), run: counter, round }),
  plainRecord({
    kind: fc.constant('top' as const),
    isSites: fc.boolean(),
    site: fc.option(name, { nil: undefined }),
    limit: fc.nat(1_000),
  }),
  plainRecord({ kind: fc.constant('curve' as const), site: name }),
)
const anyBytes = fc.uint8Array({ maxLength: 300 })

function exchangeOf(participants: readonly string[]): StepExchange {
  const calls = { call: async () => new Uint8Array() }
  const needs = { calls, clock: undefined as never, self: 'self' }
  return new StepExchange(needs, { participants, run: 1, round: 0 } as unknown as RankPlan)
}

export const properties = [
  {
    name: 'a question about ranks is read as it was written',
    property: fc.property(question, (asked) => {
      assert.deepEqual(rankQuestion.decode(rankQuestion.encode(asked)), asked)
    }),
  },
  {
    name: 'whatever comes is read or refused, and so is every plan',
    property: fc.property(anyBytes, plan, fc.boolean(), (bytes, planned, isPlace) => {
      refusedOrDone(() => rankQuestion.decode(bytes))
      refusedOrDone(() => partState.decode(bytes))
      refusedOrDone(() => rankAnswer.decode(bytes))
      refusedOrDone(() => rankPoints.decode(bytes))
      refusedOrDone(() => checkPlan(planned, () => isPlace))
    }),
  },
  {
    name: 'pieces are taken or refused in whatever order they come, and the step ends when the honest ones are there',
    property: fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('b', 'x'), piece)), async (told) => {
      const exchange = exchangeOf(['b', 'c', 'self'])
      const swapped = exchange.swap(0, [[Uint8Array.of(1)], [], []])
      for (const [from, each] of told) refusedOrDone(() => exchange.accept(from, each))
      const lacking = exchange.lacking()
      assert(lacking.includes(1) && !lacking.includes(2))
      exchange.accept('c', { run: 1, round: 0, step: 0, piece: 0, pieces: 1, bytes: Uint8Array.of(7) })
      if (lacking.includes(0)) exchange.end(new Error('held up'))
      const [, fromC] = lacking.includes(0)
        ? [undefined, [Uint8Array.of(7)]]
        : ((await swapped) as readonly (readonly Uint8Array[])[])
      assert.deepEqual(fromC, [Uint8Array.of(7)])
      await swapped.catch(() => {})
    }),
  },
]
