import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../../../model/fixtures/fuzzing.ts'
import { addressesMax, portsMax, reachAnswer, reachQuestion } from './reach-messages.ts'

const word = fc.string({ maxLength: 200, unit: fc.constantFrom(...'abc019./:-') })
const addresses = fc.array(word, { maxLength: addressesMax })
const ports = fc.array(fc.nat(65_535), { maxLength: portsMax })

const question = fc.oneof(
  plainRecord({ kind: fc.constant('seen' as const) }),
  plainRecord({ kind: fc.constant('callBack' as const), ports }),
  plainRecord({ kind: fc.constantFrom('prepare' as const, 'go' as const, 'moved' as const), addresses }),
)
const answer = plainRecord({ seen: word, ports, addresses, isDirect: fc.boolean() })

export const properties = [
  {
    name: 'questions of how a peer is reached are read back as they were written',
    property: fc.property(question, (asked) => {
      assert.deepEqual(reachQuestion.decode(reachQuestion.encode(asked)), asked)
    }),
  },
  {
    name: 'answers of how a peer is reached are read back as they were written',
    property: fc.property(answer, (said) => {
      assert.deepEqual(reachAnswer.decode(reachAnswer.encode(said)), said)
    }),
  },
  {
    name: 'any bytes are read as questions and answers of how a peer is reached, or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), (some) => {
      refusedOrDone(() => reachQuestion.decode(some))
      refusedOrDone(() => reachAnswer.decode(some))
    }),
  },
]
