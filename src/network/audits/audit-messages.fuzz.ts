import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import {
  type AuditAnswer,
  type AuditQuestion,
  auditAnswer,
  auditQuestion,
  digestBytes,
  keysMax,
  nonceBytes,
  stepsMax,
} from './audit-messages.ts'

const fixed = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const question: fc.Arbitrary<AuditQuestion> = fc.oneof(
  plainRecord({ kind: fc.constant('ping' as const) }),
  plainRecord({
    kind: fc.constant('challenge' as const),
    nonce: fixed(nonceBytes),
    steps: fc.nat(stepsMax),
    keys: fc.array(
      fc.uint8Array({ minLength: 37, maxLength: 200 }).map((key) => Buffer.from(key)),
      { maxLength: 20 },
    ),
  }),
)
const answer: fc.Arbitrary<AuditAnswer> = fc.oneof(
  plainRecord({ kind: fc.constant('pong' as const) }),
  plainRecord({
    kind: fc.constant('shown' as const),
    lacking: fc.array(fc.nat(keysMax - 1), { maxLength: 20 }),
    digest: fixed(digestBytes),
  }),
)

export const properties = [
  {
    name: 'challenges and answers come as they were sent',
    property: fc.property(question, answer, (asked, said) => {
      assert.deepEqual(auditQuestion.decode(Uint8Array.from(auditQuestion.encode(asked))), asked)
      assert.deepEqual(auditAnswer.decode(Uint8Array.from(auditAnswer.encode(said))), said)
    }),
  },
  {
    name: 'whatever else comes is refused',
    property: fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      refusedOrDone(() => auditQuestion.decode(bytes))
      refusedOrDone(() => auditAnswer.decode(bytes))
    }),
  },
]
