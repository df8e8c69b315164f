import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { type GivenAnswer, packAnswers, unpackAnswers } from './given-answers.ts'
import { bundleIdBytes, urlsMax, volunteerAnswer, volunteerQuestion } from './volunteer-messages.ts'

const id = fc.uint8Array({ minLength: bundleIdBytes, maxLength: bundleIdBytes })
const word = fc.string({ maxLength: 20, unit: fc.constantFrom(...'abc019./:-') })
const ms = fc.nat(86_400_000)
const bytes = fc.uint8Array({ maxLength: 200 })

const question = fc.oneof(
  plainRecord({
    kind: fc.constant('ask' as const),
    free: fc.nat(8),
    patienceMs: fc.nat(120_000),
    program: word,
  }),
  plainRecord({ kind: fc.constant('hold' as const), ids: fc.array(id, { maxLength: 16 }) }),
  plainRecord({ kind: fc.constant('give' as const), id, isLast: fc.boolean(), packed: bytes }),
)

const given: fc.Arbitrary<GivenAnswer> = fc.oneof(
  plainRecord({
    kind: fc.constant('response' as const),
    index: fc.nat(urlsMax),
    capturedAtMs: fc.nat(2 ** 31),
    responseMs: ms,
    connectMs: fc.option(ms, { nil: undefined }),
    head: bytes,
    body: bytes,
    request: bytes,
    address: word,
    protocols: fc.array(word, { maxLength: 4 }),
    certificate: fc.option(word, { nil: undefined }),
    truncated: fc.constantFrom('time' as const, undefined),
    tlsProblem: fc.option(word, { nil: undefined }),
    signature: word,
  }),
  plainRecord({
    kind: fc.constant('untried' as const),
    index: fc.nat(urlsMax),
    why: fc.constantFrom('time' as const, 'robots' as const),
  }),
)

export const properties = [
  {
    name: 'a question of a volunteer is read as it was written',
    property: fc.property(question, (asked) => {
      assert.deepEqual({ ...volunteerQuestion.decode(volunteerQuestion.encode(asked)) }, { ...asked })
    }),
  },
  {
    name: 'what a volunteer gives is unpacked as it was packed',
    property: fc.property(fc.array(given, { maxLength: urlsMax }), (answers) => {
      const unpacked = unpackAnswers(packAnswers(answers)!)
      assert.deepEqual(
        unpacked.map((answer) => ({ ...answer })),
        answers.map((answer) => ({ ...answer })),
      )
    }),
  },
  {
    name: 'any bytes are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), (some) => {
      refusedOrDone(() => volunteerQuestion.decode(some))
      refusedOrDone(() => volunteerAnswer.decode(some))
      refusedOrDone(() => unpackAnswers(some))
    }),
  },
  {
    name: 'a spoilt message of answers is read or refused',
    property: fc.property(fc.array(given, { maxLength: 4 }), fc.nat(), fc.nat(255), (answers, at, byte) => {
      const packed = Uint8Array.from(packAnswers(answers)!)
      packed[at % packed.length] = byte
      refusedOrDone(() => unpackAnswers(packed))
    }),
  },
]
