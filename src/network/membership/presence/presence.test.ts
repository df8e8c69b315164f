import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { at } from '../../ring/fixtures/contacts.ts'
import { Presence } from './presence.ts'

const limits = { patienceMsMin: 1_000, patienceMsMax: 1_000, rareMs: 1 }
const everywhere = (): boolean => true

describe('presence', () => {
  test('whoever is no longer seen is awaited, then gone', () => {
    const presence = new Presence(limits)
    presence.seen([at(1), at(2)], everywhere, 0)
    assert.equal(presence.seen([at(1)], everywhere, 100), true)
    assert.equal(presence.seen([at(1)], everywhere, 200), false)
    assert.deepEqual(presence.awaited(200), [at(2)])
    assert.equal(presence.isGone(at(2).peer, 1_099), false)
    assert.equal(presence.isGone(at(2).peer, 1_100), true)
    assert.deepEqual(presence.awaited(1_100), [])
    presence.seen([at(1), at(2)], everywhere, 2_000)
    assert.equal(presence.isGone(at(2).peer, 9_000), false)
  })

  test('tells who is waited for, since when and until when', () => {
    const presence = new Presence(limits)
    presence.seen([at(1), at(2), at(3)], everywhere, 0)
    presence.left(at(3).peer, { isOwnWord: true, atMs: 50 })
    presence.seen([at(1)], everywhere, 100)
    assert.deepEqual(presence.away(200), [{ peer: at(2).peer, sinceMs: 100, untilMs: 1_100 }])
    assert.deepEqual(presence.away(1_100), [])
    assert.deepEqual(presence.missed(), [at(2).peer], 'however long')
  })

  test('of places that we do not see nothing is concluded', () => {
    const presence = new Presence(limits)
    presence.seen([at(1), at(2)], everywhere, 0)
    presence.seen([at(1)], ({ place }) => place === at(1).place, 100)
    assert.equal(presence.isMissed(at(2).peer), false)
  })

  test('one that was never heard of is missed from the first question on', () => {
    const presence = new Presence(limits)
    assert.equal(presence.isGone('somebody', 5_000), false)
    assert.equal(presence.isGone('somebody', 5_999), false)
    assert.equal(presence.isGone('somebody', 6_000), true)
  })

  test('one that left for good is not waited for; should it come back, it is again', () => {
    const presence = new Presence(limits)
    presence.seen([at(1), at(2)], everywhere, 0)
    presence.left(at(2).peer, { isOwnWord: true, atMs: 50 })
    // It says so before it goes.
    presence.seen([at(1), at(2)], everywhere, 60)
    assert.equal(presence.isGone(at(2).peer, 60), false)
    presence.seen([at(1)], everywhere, 100)
    assert.equal(presence.isGone(at(2).peer, 100), true)
    assert.deepEqual(presence.awaited(100), [])
    presence.seen([at(1), at(2)], everywhere, 200)
    presence.seen([at(1)], everywhere, 300)
    assert.equal(presence.isGone(at(2).peer, 300), false)
  })

  test('others say in vain that one is gone for good who is there, however often, also when it is away for a while later', () => {
    const patient = new Presence({ patienceMsMin: 1e9, patienceMsMax: 1e9, rareMs: 1 })
    patient.seen([at(1), at(2)], everywhere, 0)
    for (let atMs = 0; atMs < 100_000; atMs += 10_000) {
      patient.left(at(2).peer, { isOwnWord: false, atMs })
      patient.seen([at(1), at(2)], everywhere, atMs)
      assert.equal(patient.isGone(at(2).peer, atMs), false)
    }
    patient.seen([at(1)], everywhere, 200_000)
    assert.equal(patient.isGone(at(2).peer, 200_000), false)
    assert.deepEqual(patient.awaited(200_000), [at(2)])
    // While it is missed, they may know.
    patient.left(at(2).peer, { isOwnWord: false, atMs: 201_000 })
    assert.equal(patient.isGone(at(2).peer, 201_000), true)
    patient.seen([at(1), at(2)], everywhere, 300_000)
    patient.seen([at(1)], everywhere, 310_000)
    assert.equal(patient.isGone(at(2).peer, 310_000), false)
  })

  test('of one that we never met others are believed', () => {
    const presence = new Presence(limits)
    presence.left('somebody', { isOwnWord: false, atMs: 0 })
    assert.equal(presence.isGone('somebody', 1e9), true)
  })

  test('is the same after a restart', () => {
    const presence = new Presence(limits)
    presence.seen([at(1), at(2)], everywhere, 0)
    presence.seen([at(1)], everywhere, 100)
    const again = new Presence(limits, presence.all())
    assert.deepEqual(again.awaited(500), [at(2)])
    assert.equal(again.isGone(at(2).peer, 1_100), true)
  })

  test('what was written down by a clock that was ahead counts from now on', () => {
    const presence = new Presence(limits)
    presence.seen([at(1), at(2)], everywhere, 1e12)
    presence.seen([at(1)], everywhere, 1e12 + 1)
    const again = new Presence(limits, presence.all(), 5_000)
    assert.equal(again.knownSinceMs(at(1).peer), 5_000)
    assert.deepEqual(again.away(5_500), [{ peer: at(2).peer, sinceMs: 5_000, untilMs: 6_000 }])
    assert.equal(again.isGone(at(2).peer, 6_000), true)
  })
})
