// What the copy policy promises, whatever happens: single plans, and small networks that live by them hour by hour.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type CopyLimits, planCopies } from './copy-policy.ts'
import type { Holder, RangeCopies, RingPeer } from './range-copies.ts'
import { SmallNetwork } from './small-network.ts'

const nowMs = 1_000
const names = [...'abcdefghij']

/** Each peer once: not there, or on the ring, or absent; with a copy, or without. */
const peer = fc.record({
  isPresent: fc.boolean(),
  isHolder: fc.boolean(),
  isComing: fc.boolean(),
  hasRoom: fc.boolean(),
  isLeaving: fc.boolean(),
  isShortOfRoom: fc.boolean(),
  absentSinceMs: fc.integer({ min: 0, max: nowMs }),
  patienceMs: fc.integer({ min: 0, max: nowMs }),
  promisedUntilMs: fc.option(fc.integer({ min: 0, max: 2 * nowMs }), { nil: undefined }),
  network: fc.constantFrom(undefined, 'x', 'y', 'z'),
})

const situation = fc.array(peer, { maxLength: names.length }).map((peers): RangeCopies => {
  const named = peers.map((one, index) => ({ ...one, peer: names[index]! }))
  const asHolder = ({ isPresent, absentSinceMs, ...one }: (typeof named)[number]): Holder => ({
    ...one,
    absentSinceMs: isPresent ? undefined : absentSinceMs,
  })
  return {
    holders: named.filter(({ isHolder }) => isHolder).map(asHolder),
    coming: named.filter((one) => one.isComing && !one.isHolder && one.isPresent).map((one) => one.peer),
    ring: named.filter(({ isPresent }) => isPresent).map((one): RingPeer => one),
  }
})

const limits = fc.record({
  copies: fc.integer({ min: 1, max: 4 }),
  sparesMax: fc.integer({ min: 0, max: 2 }),
  forgetMs: fc.constant(nowMs),
})

const isGood = (holder: Holder | undefined): boolean =>
  holder !== undefined && holder.absentSinceMs === undefined && !holder.isLeaving

export const properties = [
  {
    name: 'copies go from a peer that has one to one that has not, is there and has room',
    property: fc.property(situation, limits, (range, wanted) => {
      const { copy, lacking } = planCopies(range, nowMs, wanted)
      assert.ok(lacking >= 0)
      assert.equal(new Set(copy.map(({ to }) => to)).size, copy.length)
      for (const { from, to } of copy) {
        assert.ok(range.holders.some((holder) => holder.peer === from && holder.absentSinceMs === undefined))
        assert.ok(range.ring.some((candidate) => candidate.peer === to && candidate.hasRoom))
        assert.ok(!range.holders.some((holder) => holder.peer === to) && !range.coming.includes(to))
      }
    }),
  },
  {
    name: 'when all that may be dropped are dropped, every peer of the replica set still has its copy',
    property: fc.property(situation, limits, (range, wanted) => {
      const { drop } = planCopies(range, nowMs, wanted)
      if (drop.length === 0) return
      const left = range.holders.filter(({ peer }) => !drop.includes(peer))
      const set = range.ring.slice(0, wanted.copies)
      assert.equal(set.length, wanted.copies)
      for (const { peer } of set) assert.ok(isGood(left.find((holder) => holder.peer === peer)))
    }),
  },
  {
    name: 'that a peer vanishes is no reason to copy before its patience is over',
    property: fc.property(situation, limits, fc.nat(), (range, wanted: CopyLimits, which) => {
      const present = range.holders.filter((holder) => isGood(holder) && holder.patienceMs > 0)
      const gone = present[which % present.length]
      // Somebody must still be there to read from, and a full peer's wish for room is no repair.
      if (gone === undefined || present.length < 2 || range.holders.some((holder) => holder.isShortOfRoom))
        return
      const without: RangeCopies = {
        ...range,
        holders: range.holders.map((holder) =>
          holder === gone ? { ...holder, absentSinceMs: nowMs } : holder,
        ),
        ring: range.ring.filter(({ peer }) => peer !== gone.peer),
      }
      const before = planCopies(range, nowMs, wanted)
      const after = planCopies(without, nowMs, wanted)
      assert.equal(after.copy.length, before.copy.length)
      assert.equal(after.counted, before.counted)
      assert.ok(after.reviewAtMs <= nowMs + gone.patienceMs)
    }),
  },
  {
    name: 'nothing is lost while fewer than r copies fail within the repair time, and all is made up for',
    property: fc.property(
      fc.integer({ min: 2, max: 3 }),
      fc.array(SmallNetwork.deed, { maxLength: 300 }),
      (copies, deeds) => {
        const network = new SmallNetwork(copies)
        for (const deed of deeds) {
          network.liveAnHour(deed)
          assert.ok(network.liveCopies > 0, `lost after ${network.hour} hours`)
        }
        for (let hour = 0; hour < network.repairHours; hour++) network.liveAnHour(undefined)
        assert.ok(network.liveCopies >= copies)
      },
    ),
  },
]
