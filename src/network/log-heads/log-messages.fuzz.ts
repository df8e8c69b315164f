import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { headBytes } from '../../proof/log/log-head.ts'
import { type LogAnswer, type LogQuestion, logAnswer, logQuestion } from './log-messages.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const head = fc.uint8Array({ minLength: headBytes, maxLength: headBytes })
const path = fc.array(hash, { maxLength: 64 })
const question: fc.Arbitrary<LogQuestion> = fc.oneof(
  plainRecord({ kind: fc.constant('consistency' as const), first: fc.nat(), second: fc.nat() }),
  plainRecord({ kind: fc.constant('inclusion' as const), leaf: hash, signedAtMs: fc.nat() }),
)
const answer: fc.Arbitrary<LogAnswer> = fc.oneof(
  plainRecord({ kind: fc.constant('consistency' as const), path }),
  plainRecord({
    kind: fc.constant('inclusion' as const),
    index: fc.nat(),
    path,
    head,
    before: fc.option(plainRecord({ head }), { nil: undefined }),
  }),
  plainRecord({ kind: fc.constant('unknown' as const) }),
)

export const properties = [
  {
    name: 'questions and answers about logs come as they were sent',
    property: fc.property(question, answer, (asked, said) => {
      assert.deepEqual(logQuestion.decode(Uint8Array.from(logQuestion.encode(asked))), asked)
      assert.deepEqual(logAnswer.decode(Uint8Array.from(logAnswer.encode(said))), said)
    }),
  },
  {
    name: 'whatever else comes is refused',
    property: fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      refusedOrDone(() => logQuestion.decode(bytes))
      refusedOrDone(() => logAnswer.decode(bytes))
    }),
  },
]
