import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { MessageMalformed, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import { placeOf } from '../protocol/place.ts'
import { decodeFind, decodeState, encodePositionState, encodeState } from './answers.ts'
import { writeContact } from './contact-coding.ts'
import { ringQuestion } from './questions.ts'
import { properties } from './wire.fuzz.ts'

const find = (peer: string, index: number, address: string) => ({
  ...{ peer, index, address },
  place: placeOf('n', peer, index),
})
const contactOf = (peer: string) => find(peer, 0, '/ip4/1.2.3.4/tcp/1')

describe('messages of the ring', () => {
  testProperties(properties, 200)

  test('a state of a ring at rest takes a few bytes', () => {
    assert.ok(encodeState(Date.UTC(2030, 0), undefined, undefined).length <= 8)
    const question = {
      kind: 'state',
      position: 0,
      digest: 1,
      notifier: { index: 0, address: '/ip4/1.2.3.4/tcp/4001', claim: { isOwner: true, agreedMs: 0 } },
    } as const
    assert.ok(ringQuestion.encode(question).length <= 32)
  })

  test('another version is refused, an unknown question too', () => {
    const bytes = ringQuestion.encode({ kind: 'find', key: contactOf('a').place, successorsMax: 1 })
    assert.throws(() => ringQuestion.decode(Uint8Array.from([2, ...bytes.subarray(1)])), MessageMalformed)
    assert.throws(() => ringQuestion.decode(Uint8Array.from([1, 99, 0])), MessageMalformed)
  })

  test('a contact may say more in a later version', () => {
    const plain = new MessageWriter()
    writeContact(plain, contactOf('a'))
    const inner = plain.finish().subarray(2)
    const contact = new MessageWriter()
      .uint(inner.length + 4, 2)
      .fixed(inner)
      .uint(12345, 4)
      .finish()
    const bytes = new MessageWriter().byte(1).byte(0).byte(1).fixed(contact).byte(0).byte(0).finish()
    const expected = { kind: 'ask', likely: [contactOf('a')], nearer: [], before: undefined }
    assert.deepEqual(decodeFind(bytes, find), expected)
  })

  test('a list out of order is refused', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(contactOf).sort((one, other) => (one.place < other.place ? -1 : 1))
    const state = { predecessor: c!, successors: { entries: [c!, b!], isWhole: false } }
    const bytes = encodeState(0, undefined, encodePositionState(state))
    assert.throws(() => decodeState(bytes, a!.place, find), /out of order/)
  })

  test('a giant list is refused before it is read', () => {
    const bytes = new MessageWriter().byte(1).byte(0).byte(255).finish()
    assert.throws(() => decodeFind(bytes, find), /a list of 255/)
  })
})
