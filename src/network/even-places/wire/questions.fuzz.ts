import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { arcsMax, fillAnswer, placesQuestion } from './questions.ts'

const place = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as RingKey)

export const properties = [
  {
    name: 'questions about places come as they went',
    property: fc.property(
      plainRecord({
        kind: fc.constant('fill' as const),
        arcs: fc.array(plainRecord({ after: place, upTo: place }), { maxLength: arcsMax }),
      }),
      (asked) => assert.deepEqual(placesQuestion.decode(placesQuestion.encode(asked)), asked),
    ),
  },
  {
    name: 'answers about places come as they went',
    property: fc.property(
      plainRecord({
        ...{ kept: fc.nat(2 ** 31 - 1), weight: fc.integer({ min: 1, max: 16 }), isSettled: fc.boolean() },
        masses: fc.array(fc.constantFrom(0, 1, 127, 128, 2 ** 40, 2 ** 48 - 1), { maxLength: arcsMax }),
      }),
      (answer) => assert.deepEqual(fillAnswer.decode(fillAnswer.encode(answer)), answer),
    ),
  },
  {
    name: 'whatever bytes come about places, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      refusedOrDone(() => placesQuestion.decode(bytes))
      refusedOrDone(() => placesQuestion.decode(Buffer.concat([Uint8Array.of(0), bytes])))
      refusedOrDone(() => fillAnswer.decode(bytes))
    }),
  },
]
