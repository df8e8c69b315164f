import assert from 'node:assert/strict'
import fc from 'fast-check'
import { counterMax } from '../../formats/wire/message-bytes.ts'
import { flags } from '../../formats/wire/message-fields.ts'
import type { Digest } from '../../model/digest.ts'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { ringKeyFromBytes } from '../../model/ring-key.ts'
import { type ContentPlace, type ContentRow, contentRow, counts, type Need } from './content-row.ts'
import { type ContentQuestion, contentQuestion, type OwnerAnswer, ownerAnswers } from './questions.ts'

const digest: fc.Arbitrary<Digest> = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => ({ algorithm: 'sha256' as const, bytes }))
const ringKey = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(ringKeyFromBytes)
const capture = plainRecord({
  url: fc.webUrl({ validSchemes: ['http', 'https'] }),
  capturedAtMs: fc.nat(),
  recordId: fc.uuid(),
})
const place: fc.Arbitrary<ContentPlace> = plainRecord({
  digest,
  sizeBytes: fc.integer({ min: 0, max: counterMax }),
  capture,
})
const need: fc.Arbitrary<Need> = plainRecord({ digest, site: ringKey, isNeeded: fc.boolean() })
const version = fc.nat(3)
const row: fc.Arbitrary<ContentRow> = fc.oneof(
  plainRecord({ kind: fc.constant('place' as const), version, place }),
  plainRecord({ kind: fc.constant('need' as const), version, need }),
)
const items = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 5 })
const question: fc.Arbitrary<ContentQuestion> = fc.oneof(
  plainRecord({
    kind: fc.constant('ask' as const),
    items: items(plainRecord({ digest, sizeBytes: fc.integer({ min: 0, max: counterMax }), site: ringKey })),
  }),
  plainRecord({ kind: fc.constant('register' as const), items: items(place) }),
  plainRecord({ kind: fc.constant('need' as const), items: items(need) }),
  plainRecord({ kind: fc.constant('where' as const), items: items(plainRecord({ digest })) }),
  plainRecord({ kind: fc.constant('copy' as const), items: items(row) }),
  plainRecord({
    kind: fc.constantFrom('have' as const, 'hold' as const, 'let-go' as const),
    items: items(plainRecord({ digest, place: ringKey })),
  }),
)
const answer: fc.Arbitrary<OwnerAnswer> = fc.oneof(
  plainRecord({ kind: fc.constantFrom('foreign' as const, 'unknown' as const, 'taken' as const) }),
  plainRecord({ kind: fc.constant('known' as const), capture }),
)
const anyBytes = fc.uint8Array({ maxLength: 300 })

export const properties = [
  {
    name: 'a question about contents is read as it was written',
    property: fc.property(question, (asked) => {
      assert.deepEqual(contentQuestion.decode(contentQuestion.encode(asked)), asked)
    }),
  },
  {
    name: 'answers are read as they were written',
    property: fc.property(items(answer), items(fc.boolean()), (answers, given) => {
      assert.deepEqual(ownerAnswers.decode(ownerAnswers.encode(answers), answers.length), answers)
      assert.deepEqual(flags.decode(flags.encode(given), given.length), given)
    }),
  },
  {
    name: 'of two different rows exactly one counts, and the same row does not count again',
    property: fc.property(row, row, (one, other) => {
      const [left, right] = [contentRow.encode(one), contentRow.encode(other)]
      assert.deepEqual(contentRow.decode(left), one)
      const isSame = Buffer.compare(left, right) === 0
      assert.equal(Number(counts(left, right)) + Number(counts(right, left)), isSame ? 0 : 1)
    }),
  },
  {
    name: 'whatever comes is read or refused',
    property: fc.property(anyBytes, (bytes) => {
      refusedOrDone(() => contentQuestion.decode(bytes))
      refusedOrDone(() => ownerAnswers.decode(bytes, 3))
      refusedOrDone(() => flags.decode(bytes, 3))
    }),
  },
]
