// Who may call a key its own, in the cases that pointers alone get wrong.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { placeAt } from '../fixtures/contacts.ts'
import { type Hold, Ownership, type OwnershipClaim } from './ownership.ts'

const ownershipMs = 1_000
const self = placeAt(0x40)
const successor = placeAt(0x60)
const ofOwner: OwnershipClaim = { isOwner: true, agreedMs: 0 }

function confirm(ownership: Ownership, nowMs: number, predecessor: number, hold?: Hold): void {
  ownership.confirmed({ askedMs: nowMs, nowMs, successor, predecessor: placeAt(predecessor), hold })
}

function hear(ownership: Ownership, predecessor: number, claim: OwnershipClaim = ofOwner, nowMs = 0): void {
  ownership.heard(placeAt(predecessor), claim, nowMs)
}

function owns(ownership: Ownership, key: number, predecessor: number, nowMs: number): boolean {
  return ownership.owns(placeAt(key), placeAt(predecessor), false, nowMs)
}

/** One that heard from its predecessor and has its successor's consent. */
function owner(predecessor: number): Ownership {
  const ownership = new Ownership(self, ownershipMs)
  hear(ownership, predecessor)
  confirm(ownership, 0, predecessor)
  return ownership
}

describe('ownership', () => {
  test('begins with the successor`s consent and ends a while after the last', () => {
    const ownership = new Ownership(self, ownershipMs)
    hear(ownership, 0x30)
    assert.equal(owns(ownership, 0x38, 0x30, 0), false)
    confirm(ownership, 0, 0x30)
    assert.equal(owns(ownership, 0x38, 0x30, 1_000), true)
    assert.equal(owns(ownership, 0x28, 0x30, 1_000), false)
    assert.equal(owns(ownership, 0x38, 0x30, 1_001), false)
  })

  test('begins with a word from the predecessor: who was only named may be followed by another', () => {
    const newcomer = new Ownership(self, ownershipMs)
    confirm(newcomer, 0, 0x30)
    assert.equal(owns(newcomer, 0x38, 0x30, 0), false)
    hear(newcomer, 0x30)
    assert.equal(owns(newcomer, 0x38, 0x30, 0), true)
  })

  test('reaches back only to a predecessor that owns something itself', () => {
    const newcomer = new Ownership(self, ownershipMs)
    confirm(newcomer, 0, 0x30)
    hear(newcomer, 0x30, { isOwner: false, agreedMs: 0 })
    assert.equal(owns(newcomer, 0x38, 0x30, 0), false)
    assert.equal(newcomer.claim(placeAt(0x30), 0).isOwner, false)
  })

  test('shrinks at once for a nearer predecessor, whatever that one owns', () => {
    const ownership = owner(0x30)
    ownership.predecessorChanged(placeAt(0x30), placeAt(0x38), 100)
    assert.equal(owns(ownership, 0x3c, 0x38, 100), true)
    assert.equal(owns(ownership, 0x34, 0x38, 100), false)
  })

  test('alone, everything is ours; and when somebody joins us, what comes after it', () => {
    const ownership = new Ownership(self, ownershipMs)
    assert.equal(ownership.owns(placeAt(0x99), self, true, 0), true)
    ownership.predecessorChanged(self, placeAt(0x30), 100, true)
    assert.equal(owns(ownership, 0x38, 0x30, 100), true)
    assert.equal(owns(ownership, 0x99, 0x30, 100), false)
    assert.equal(owns(ownership, 0x38, 0x30, 1_101), false)
  })

  test('alone on entering another ring, nothing is ours', () => {
    const ownership = new Ownership(self, ownershipMs)
    ownership.predecessorChanged(self, placeAt(0x30), 100)
    assert.equal(owns(ownership, 0x38, 0x30, 100), false)
  })

  test('what a dead predecessor owned is taken over only after a while, and on the word of the next', () => {
    const ownership = owner(0x30)
    ownership.predecessorChanged(placeAt(0x30), placeAt(0x20), 500)
    confirm(ownership, 900, 0x20)
    assert.equal(owns(ownership, 0x38, 0x20, 1_000), true)
    assert.equal(owns(ownership, 0x28, 0x20, 1_500), false)
    hear(ownership, 0x20)
    assert.equal(owns(ownership, 0x28, 0x20, 1_499), false)
    assert.equal(owns(ownership, 0x28, 0x20, 1_500), true)
  })

  test('what one that left bequeathed is ours at once', () => {
    const ownership = owner(0x30)
    ownership.bequeathed(placeAt(0x30), placeAt(0x20))
    ownership.predecessorChanged(placeAt(0x30), placeAt(0x20), 500)
    assert.equal(owns(ownership, 0x28, 0x20, 500), true)
  })

  test('a successor gives no more than it owned before', () => {
    const giver = new Ownership(successor, ownershipMs)
    giver.heard(placeAt(0x38), ofOwner, 0)
    giver.confirmed({
      askedMs: 0,
      nowMs: 0,
      successor: placeAt(0x80),
      predecessor: placeAt(0x38),
      hold: undefined,
    })
    giver.predecessorChanged(placeAt(0x38), self, 100)
    const hold = giver.holdFor(self, 100)
    assert.deepEqual(hold, { place: placeAt(0x38), remainingMs: 1_000 })
    const receiver = new Ownership(self, ownershipMs)
    hear(receiver, 0x30)
    confirm(receiver, 100, 0x30, hold)
    assert.equal(owns(receiver, 0x3c, 0x30, 100), true)
    assert.equal(owns(receiver, 0x34, 0x30, 100), false)
    confirm(receiver, 1_000, 0x30)
    assert.equal(owns(receiver, 0x34, 0x30, 1_100), true)
  })

  test('a successor that never owned our arc gives it only after a while', () => {
    const receiver = new Ownership(self, ownershipMs)
    hear(receiver, 0x30)
    // Between us and it stood one that died.
    confirm(receiver, 0, 0x30, { place: placeAt(0x50), remainingMs: 700 })
    assert.equal(owns(receiver, 0x38, 0x30, 0), false)
    confirm(receiver, 600, 0x30)
    assert.equal(owns(receiver, 0x38, 0x30, 700), true)
  })

  test('the consent of one that owns nothing is worth nothing, also to one that owns', () => {
    const nothing = new Ownership(successor, ownershipMs).holdFor(self, 0)
    assert.deepEqual(nothing, { place: successor, remainingMs: 0 })
    const ownership = owner(0x30)
    confirm(ownership, 900, 0x30, nothing)
    assert.equal(owns(ownership, 0x38, 0x30, 1_000), true)
    assert.equal(owns(ownership, 0x38, 0x30, 1_001), false)
  })

  test('when nobody owns anything, all do again after all have agreed for a while', () => {
    const ownership = new Ownership(self, ownershipMs)
    hear(ownership, 0x30)
    const agreedFor = (remainingMs: number): Hold => ({ place: successor, remainingMs })
    for (const nowMs of [0, 500, 1_000]) confirm(ownership, nowMs, 0x30, agreedFor(5_000))
    assert.equal(owns(ownership, 0x38, 0x30, 1_000), false)
    confirm(ownership, 1_001, 0x30, agreedFor(5_000))
    assert.equal(owns(ownership, 0x38, 0x30, 1_001), true)
  })

  test('but not while somebody farther on is cut off', () => {
    const ownership = new Ownership(self, ownershipMs)
    hear(ownership, 0x30)
    for (let nowMs = 0; nowMs <= 3_000; nowMs += 500)
      confirm(ownership, nowMs, 0x30, { place: successor, remainingMs: 100 })
    assert.equal(owns(ownership, 0x38, 0x30, 3_000), false)
    // What it tells those before it is no more than it was told.
    assert.deepEqual(ownership.holdFor(placeAt(0x30), 3_000), { place: self, remainingMs: 100 })
  })

  test('newcomers that nobody vouches for do so for each other after a while', () => {
    const ownership = new Ownership(self, ownershipMs)
    for (let nowMs = 0; nowMs <= 1_500; nowMs += 500) {
      confirm(ownership, nowMs, 0x30)
      hear(ownership, 0x30, { isOwner: false, agreedMs: nowMs }, nowMs)
      assert.equal(owns(ownership, 0x38, 0x30, nowMs), nowMs > 1_000)
    }
  })
})
