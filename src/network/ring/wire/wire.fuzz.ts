import assert from 'node:assert/strict'
import fc from 'fast-check'
import { refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { isBetween, placeOf } from '../protocol/place.ts'
import type { Contact } from '../ring.ts'
import {
  decodeFind,
  decodeState,
  encodeFind,
  encodePositionState,
  encodeState,
  pingAnswer,
} from './answers.ts'
import { nonceBytes, type Question, ringQuestion } from './questions.ts'

const find = (peer: string, index: number, address: string): Contact => ({
  ...{ peer, index, address },
  place: placeOf('fuzz', peer, index),
})
const text = fc.stringMatching(/^[!-~]{1,200}$/)
const index = fc.integer({ min: 0, max: 15 })
const contact = fc
  .record({ peer: text, index, address: text })
  .map((given): Contact => find(given.peer, given.index, given.address))
const key = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as RingKey)
const nonce = fc.uint8Array({ minLength: nonceBytes, maxLength: nonceBytes })
const small = fc.integer({ min: 0, max: 255 })
const sender = { position: small, sender: small, address: text }

const question: fc.Arbitrary<Question> = fc.oneof(
  fc.record({ kind: fc.constant('find' as const), key, successorsMax: small }),
  fc.record({ kind: fc.constant('ping' as const), position: small, nonce }),
  fc.record({ kind: fc.constantFrom('notify' as const, 'poke' as const, 'hint' as const), ...sender }),
  fc.record({ kind: fc.constant('farewell' as const), ...sender, from: key }),
  fc.record({
    kind: fc.constant('state' as const),
    position: small,
    digest: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    notifier: fc.option(
      fc.record({
        index: fc.integer({ min: 0, max: 254 }),
        address: text,
        claim: fc.oneof(
          fc.constant({ isOwner: true, agreedMs: 0 }),
          fc.integer({ min: 0, max: 60_000 }).map((units) => ({ isOwner: false, agreedMs: 10 * units })),
        ),
      }),
      { nil: undefined },
    ),
  }),
)
const more = fc.uint8Array({ maxLength: 20 })

/** In the order of the ring from the first, without duplicates. */
function orderly(self: RingKey, contacts: Contact[]): Contact[] {
  const distinct = [...new Map(contacts.map((one) => [one.place, one])).values()].filter(
    ({ place }) => place !== self,
  )
  return distinct.sort((a, b) => (isBetween(self, a.place, b.place) ? -1 : 1))
}

export const properties = [
  {
    name: 'questions come as they went, also with what a later version adds',
    property: fc.property(question, more, (asked, added) => {
      const decoded = ringQuestion.decode(Buffer.concat([ringQuestion.encode(asked), added]))
      // Views of memory are not compared as such.
      assert.equal(JSON.stringify(sorted(decoded)), JSON.stringify(sorted(asked)))
    }),
  },
  {
    name: 'states come as they went',
    property: fc.property(
      contact,
      contact,
      fc.array(contact, { maxLength: 16 }),
      fc.boolean(),
      (self, predecessor, list, isWhole) => {
        const state = { predecessor, successors: { entries: orderly(self.place, list), isWhole } }
        const hold = isWhole ? { place: self.place, remainingMs: 77 } : undefined
        const bytes = encodeState(123, hold, encodePositionState(state))
        assert.deepEqual(decodeState(bytes, self.place, find), { nowMs: 123, hold, state })
      },
    ),
  },
  {
    name: 'answers to lookups come as they went',
    property: fc.property(
      contact,
      contact,
      fc.array(contact, { maxLength: 3 }),
      (owner, predecessor, list) => {
        const mine = {
          kind: 'mine' as const,
          owner,
          predecessor,
          successors: { entries: orderly(owner.place, list), isWhole: false },
        }
        assert.deepEqual(decodeFind(encodeFind(mine), find), mine)
        const ask = { kind: 'ask' as const, likely: list, nearer: [predecessor], before: list[0] }
        assert.deepEqual(decodeFind(encodeFind(ask), find), ask)
      },
    ),
  },
  {
    name: 'whatever bytes come in, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), small, key, (bytes, kind, self) => {
      const plausible = Buffer.concat([Uint8Array.of(1, kind % 8), bytes])
      for (const given of [bytes, plausible]) {
        refusedOrDone(() => ringQuestion.decode(given))
        refusedOrDone(() => decodeState(given, self, find))
        refusedOrDone(() => decodeFind(given, find))
        refusedOrDone(() => pingAnswer.decode(given))
      }
    }),
  },
  {
    name: 'pings come as they went',
    property: fc.property(nonce, fc.boolean(), (given, isMember) => {
      const decoded = pingAnswer.decode(pingAnswer.encode({ nowMs: 5, nonce: given, isMember }))
      assert.equal(Buffer.compare(decoded.nonce, given), 0)
      assert.equal(decoded.isMember, isMember)
    }),
  },
]

function sorted(value: object): [string, unknown][] {
  return Object.entries(value)
    .map(([name, field]): [string, unknown] => [
      name,
      field instanceof Uint8Array ? Buffer.from(field).toString('hex') : field,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
