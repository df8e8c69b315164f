import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import {
  type ErrandAnswer,
  type ErrandQuestion,
  errandAnswer,
  errandQuestion,
  fits,
  headersThatFit,
  printableWords,
} from './errand-messages.ts'

const printable = (maxLength: number) =>
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength,
  })
const question: fc.Arbitrary<ErrandQuestion> = plainRecord({
  url: fc.webUrl(),
  page: fc.webUrl(),
  headers: fc.array(plainRecord({ name: printable(30), value: printable(60) }), { maxLength: 32 }),
  kind: fc.constantFrom('frame' as const, 'asset' as const, 'data' as const),
  method: printable(32),
  body: fc.option(fc.uint8Array({ maxLength: 100 }), { nil: undefined }),
  isStream: fc.boolean(),
  sinceMs: fc.nat(),
})
const answer: fc.Arbitrary<ErrandAnswer> = fc.oneof(
  plainRecord({ kind: fc.constant('kept' as const), capturedAtMs: fc.nat() }),
  plainRecord({ kind: fc.constant('missed' as const), code: printable(64), reason: printable(500) }),
)
const anyHeader = fc.tuple(fc.string({ maxLength: 200 }), fc.string({ maxLength: 5_000 }))

export const properties = [
  {
    name: 'an errand and its answer are read as they were written',
    property: fc.property(question, answer, (asked, answered) => {
      assert.deepEqual(errandQuestion.decode(errandQuestion.encode(asked)), asked)
      assert.deepEqual(errandAnswer.decode(errandAnswer.encode(answered)), answered)
    }),
  },
  {
    name: 'whatever a page sends and a server says, an errand can be written',
    property: fc.property(
      fc.array(anyHeader, { maxLength: 50 }),
      fc.string({ maxLength: 1_000 }),
      (headers, words) => {
        const asked = {
          url: 'http://a.test/',
          page: words,
          kind: 'data' as const,
          method: words,
          body: Buffer.from(words),
          headers: headersThatFit(headers),
          isStream: false,
          sinceMs: 0,
        }
        if (fits(asked)) errandQuestion.decode(errandQuestion.encode(asked))
        const reason = printableWords(words, 500)
        errandAnswer.decode(errandAnswer.encode({ kind: 'missed', code: printableWords(words, 64), reason }))
      },
    ),
  },
  {
    name: 'any bytes are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      refusedOrDone(() => errandQuestion.decode(bytes))
      refusedOrDone(() => errandAnswer.decode(bytes))
    }),
  },
]
