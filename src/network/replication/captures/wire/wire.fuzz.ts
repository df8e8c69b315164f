import assert from 'node:assert/strict'
import fc from 'fast-check'
import { counterMax } from '../../../../formats/wire/message-bytes.ts'
import { flags } from '../../../../formats/wire/message-fields.ts'
import { messagePiece } from '../../../../formats/wire/message-piece.ts'
import { plainRecord, refusedOrDone } from '../../../../model/fixtures/fuzzing.ts'
import { ringKeyOf } from '../../../../model/ring-key.ts'
import { isEmptyRange } from '../../sums/key-range.ts'
import {
  type FetchedPage,
  fetchedPage,
  givenOutcomes,
  life as lifeAnswer,
  outcomes,
  readProofs,
} from './answers.ts'
import { type CopiesQuestion, copiesQuestion, type Want } from './questions.ts'

const bytes = fc.uint8Array({ maxLength: 300 })
const key = fc.uint8Array({ minLength: 37, maxLength: 200 })
const id = fc.uint8Array({ minLength: 16, maxLength: 16 })
const place = fc.nat().map((number) => ringKeyOf(String(number)))
const arc = plainRecord({ after: place, upTo: place })
const stored = plainRecord({
  sizeBytes: fc.integer({ min: 0, max: counterMax }),
  checksum: fc.nat(2 ** 32 - 1),
})
const capture = fc.oneof(
  plainRecord({ key, isWhole: fc.boolean(), bytes }),
  plainRecord({
    key,
    isWhole: fc.boolean(),
    bytes: fc.constant(undefined),
    stored: fc.option(stored, { nil: undefined }),
  }),
)
const want: fc.Arbitrary<Want> = plainRecord({
  range: plainRecord({ from: bytes, to: fc.option(bytes, { nil: undefined }) }).filter(
    (range) => !isEmptyRange(range),
  ),
  ids: fc.option(fc.array(id, { minLength: 1, maxLength: 5 }), { nil: undefined }),
})
const splitsId = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 32 })
const life = fc.uint8Array({ minLength: 8, maxLength: 8 })
const question: fc.Arbitrary<CopiesQuestion> = fc.oneof(
  plainRecord({ kind: fc.constant('compare' as const), bytes }),
  plainRecord({ kind: fc.constant('give' as const), captures: fc.array(capture) }),
  plainRecord({
    kind: fc.constant('fetch' as const),
    wants: fc.array(want),
    isWhole: fc.boolean(),
    bytesMax: fc.integer({ min: 0, max: counterMax }),
  }),
  plainRecord({
    kind: fc.constant('piece' as const),
    key,
    isWhole: fc.boolean(),
    offset: fc.integer({ min: 0, max: counterMax }),
  }),
  plainRecord({ kind: fc.constant('confirm' as const), keys: fc.array(key) }),
  plainRecord({ kind: fc.constant('prove' as const), nonce: id, keys: fc.array(key) }),
  plainRecord({ kind: fc.constant('life' as const) }),
  plainRecord({ kind: fc.constant('tell' as const), arcs: fc.array(arc), splitsId, life }),
  plainRecord({ kind: fc.constant('complete' as const), arc, splitsId }),
  plainRecord({ kind: fc.constant('spare' as const), arc }),
)
const page: fc.Arbitrary<FetchedPage> = plainRecord({
  captures: fc.array(capture),
  next: fc.option(plainRecord({ want: fc.nat(1_000), from: bytes }), { nil: undefined }),
})

/** Without the class of the bytes, which is the reader's choice. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part) =>
      part instanceof Uint8Array || part?.type === 'Buffer' ? [...(part.data ?? part)] : part,
    ),
  )

export const properties = [
  {
    name: 'questions about copies come as they went',
    property: fc.property(question, (asked) =>
      assert.deepEqual(plain(copiesQuestion.decode(copiesQuestion.encode(asked))), plain(asked)),
    ),
  },
  {
    name: 'answers come as they went',
    property: fc.property(page, fc.array(fc.constantFrom(...outcomes)), bytes, (given, some, piece) => {
      assert.deepEqual(plain(fetchedPage.decode(fetchedPage.encode(given))), plain(given))
      assert.deepEqual(givenOutcomes.decode(givenOutcomes.encode(some), some.length), some)
      const kept = some.map((outcome) => outcome === 'kept')
      assert.deepEqual(flags.decode(flags.encode(kept), kept.length), kept)
      assert.deepEqual(
        plain(messagePiece.decode(messagePiece.encode({ bytes: piece, isLast: true })).bytes),
        plain(piece),
      )
    }),
  },
  {
    name: 'whatever bytes come, they are read or refused',
    property: fc.property(bytes, fc.nat(10), (given, kind) => {
      for (const message of [copiesQuestion, fetchedPage, messagePiece, lifeAnswer]) {
        refusedOrDone(() => message.decode(given))
        refusedOrDone(() => message.decode(Buffer.concat([Uint8Array.of(kind), given])))
      }
      refusedOrDone(() => givenOutcomes.decode(given, kind))
      refusedOrDone(() => flags.decode(given, kind))
      refusedOrDone(() => readProofs(given, kind))
    }),
  },
]
