import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ringKeyOf } from '../../model/ring-key.ts'
import { arcBetween } from '../ring/protocol/place.ts'
import type { Contact } from '../ring/ring.ts'
import { changesOfGiving, changesOfTaking, keepersAt, keptArcs } from './kept-change.ts'

const replicas = 3
const position = fc.record({ peer: fc.nat(6), index: fc.nat(15), network: fc.nat(2) })

/** What each keeps, worked out arc by arc. */
function keptOn(ring: readonly Contact[]): Map<string, number> {
  const kept = new Map<string, number>()
  for (const [at, { place }] of ring.entries())
    for (const peer of keepersAt(ring, at, replicas))
      kept.set(peer, (kept.get(peer) ?? 0) + massOf(ring.at(at - 1)!.place, place))
  return kept
}

function massOf(after: Contact['place'], upTo: Contact['place']): number {
  return after === upTo ? 1 : arcBetween(after, upTo)
}

export const properties = [
  {
    name: 'what a position changes is the difference of what all keep with it and without it, and what it gave comes back',
    property: fc.property(
      fc.uniqueArray(position, {
        minLength: 2,
        maxLength: 30,
        selector: ({ peer, index }) => `${peer} ${index}`,
      }),
      fc.nat(),
      (given, chosen) => {
        const ring = given
          .map(
            ({ peer, index, network }): Contact => ({
              ...{ peer: `peer ${peer}`, index, place: ringKeyOf(`${peer} ${index}`) },
              address: `/ip4/10.${network}.${peer}.1/tcp/1`,
            }),
          )
          .sort((one, other) => (one.place < other.place ? -1 : 1))
        const moved = ring[chosen % ring.length]!
        const without = ring.filter((contact) => contact !== moved)
        const [before, after] = [keptOn(without), keptOn(ring)]
        const taken = changesOfTaking(without, moved, replicas, massOf)
        const givenUp = changesOfGiving(ring, moved.place, replicas, massOf)
        for (const { peer } of ring) {
          const change = (after.get(peer) ?? 0) - (before.get(peer) ?? 0)
          assert(Math.abs((taken.get(peer) ?? 0) - change) < 1e-9)
          assert(Math.abs((givenUp.get(peer) ?? 0) + change) < 1e-9)
          const arcs = keptArcs(ring, peer, replicas)
          const kept = arcs.reduce((sum, { after: from, upTo }) => sum + massOf(from, upTo), 0)
          assert(Math.abs(kept - after.get(peer)!) < 1e-9)
        }
      },
    ),
  },
]
