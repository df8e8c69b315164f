import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { type LookAnswer, lookAnswer, lookQuestion } from './corroboration-messages.ts'

const printable = (maxLength: number) => fc.string({ unit: 'grapheme-ascii', maxLength })
const answer: fc.Arbitrary<LookAnswer> = fc.oneof(
  plainRecord({
    kind: fc.constant('seen' as const),
    capturedAtMs: fc.nat(),
    head: fc.uint8Array({ maxLength: 200 }),
    body: fc.uint8Array({ maxLength: 200 }),
    payload: printable(100),
    address: printable(40),
    certificate: printable(64),
    signature: printable(200),
  }),
  plainRecord({ kind: fc.constant('failed' as const), code: printable(64) }),
)

export const properties = [
  {
    name: 'second looks come as they were sent',
    property: fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), answer, (url, said) => {
      assert.deepEqual(lookQuestion.decode(Uint8Array.from(lookQuestion.encode({ url }))), { url })
      assert.deepEqual(lookAnswer.decode(Uint8Array.from(lookAnswer.encode(said))), said)
    }),
  },
  {
    name: 'whatever else comes is refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      refusedOrDone(() => lookQuestion.decode(bytes))
      refusedOrDone(() => lookAnswer.decode(bytes))
    }),
  },
]
