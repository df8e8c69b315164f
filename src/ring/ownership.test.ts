// Who may call a key its own, in the cases that pointers alone get wrong.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { placeAt } from './fixtures/contacts.ts'
import { type Hold, Ownership } from './ownership.ts'

const ownershipMs = 1_000
const self = placeAt(0x40)
const successor = placeAt(0x60)

function confirm(ownership: Ownership, nowMs: number, predecessor: number, hold?: Hold): void {
  ownership.confirmed({ askedMs: nowMs, nowMs, successor, predecessor: placeAt(predecessor), hold })
}

function owns(ownership: Ownership, key: number, predecessor: number, nowMs: number): boolean {
  return ownership.owns(placeAt(key), placeAt(predecessor), false, nowMs)
}

describe('ownership', () => {
  test('begins with the successor`s consent and ends a while after the last', () => {
    const ownership = new Ownership(self, ownershipMs)
    assert.equal(owns(ownership, 0x38, 0x30, 0), false)
    confirm(ownership, 0, 0x30)
    assert.equal(owns(ownership, 0x38, 0x30, 1_000), true)
    assert.equal(owns(ownership, 0x28, 0x30, 1_000), false)
    assert.equal(owns(ownership, 0x38, 0x30, 1_001), false)
  })

  test('alone, everything is ours', () => {
    const ownership = new Ownership(self, ownershipMs)
    assert.equal(ownership.owns(placeAt(0x99), self, true, 0), true)
  })

  test('what a dead predecessor owned is taken over only after a while', () => {
    const ownership = new Ownership(self, ownershipMs)
    confirm(ownership, 0, 0x30)
    ownership.predecessorChanged(placeAt(0x30), placeAt(0x20), 500)
    confirm(ownership, 900, 0x20)
    assert.equal(owns(ownership, 0x38, 0x20, 1_000), true)
    assert.equal(owns(ownership, 0x28, 0x20, 1_000), false)
    assert.equal(owns(ownership, 0x28, 0x20, 1_500), true)
  })

  test('what one that left bequeathed is ours at once', () => {
    const ownership = new Ownership(self, ownershipMs)
    confirm(ownership, 0, 0x30)
    ownership.bequeathed(placeAt(0x30), placeAt(0x20))
    ownership.predecessorChanged(placeAt(0x30), placeAt(0x20), 500)
    assert.equal(owns(ownership, 0x28, 0x20, 500), true)
  })

  test('a successor gives no more than it owned before', () => {
    const giver = new Ownership(successor, ownershipMs)
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
    const taker = new Ownership(self, ownershipMs)
    confirm(taker, 100, 0x30, hold)
    assert.equal(owns(taker, 0x3c, 0x30, 100), true)
    assert.equal(owns(taker, 0x34, 0x30, 100), false)
    confirm(taker, 1_000, 0x30)
    assert.equal(owns(taker, 0x34, 0x30, 1_100), true)
  })

  test('a successor that owns nothing gives nothing, unless all have waited long enough', () => {
    const giver = new Ownership(successor, ownershipMs)
    const hold = giver.holdFor(self, 0)
    assert.equal(hold?.place, successor)
    const taker = new Ownership(self, ownershipMs)
    for (const nowMs of [0, 500, 1_000]) confirm(taker, nowMs, 0x30, hold)
    assert.equal(owns(taker, 0x38, 0x30, 1_000), false)
    confirm(taker, 1_001, 0x30, hold)
    assert.equal(owns(taker, 0x38, 0x30, 1_001), true)
  })

  test('a successor that never owned our arc gives it only after a while', () => {
    const taker = new Ownership(self, ownershipMs)
    // Between us and it stood one that died.
    confirm(taker, 0, 0x30, { place: placeAt(0x50), remainingMs: 700 })
    assert.equal(owns(taker, 0x38, 0x30, 0), false)
    confirm(taker, 600, 0x30)
    assert.equal(owns(taker, 0x38, 0x30, 700), true)
  })
})
