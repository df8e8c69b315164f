// What a position more or less changes: who keeps how much more, and who how much less.
//
// Pure, of the places that are known on that part of the ring and what lies between them. A position matters to its own arc and to those
// before it, as far back as there are fewer others between than keep copies: `passedMax` positions are looked at.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { replicaSet } from '../ring/replica-set.ts'
import type { Contact } from '../ring/ring.ts'

/** How much lies after the one place, up to the other. */
export type MassOf = (after: RingKey, upTo: RingKey) => number

/** By peer: positive where it is to keep more. */
export type KeptChanges = ReadonlyMap<PeerId, number>

const passedMax = 64

/** `ring`: in order, without the position. */
export function changesOfTaking(
  ring: readonly Contact[],
  position: Contact,
  replicas: number,
  massOf: MassOf,
): KeptChanges {
  const found = ring.findIndex(({ place }) => place > position.place)
  const at = found === -1 ? ring.length : found
  return changesBetween(ring, ring.toSpliced(at, 0, position), at, replicas, massOf)
}

/** `ring`: in order, with the position. */
export function changesOfGiving(
  ring: readonly Contact[],
  place: RingKey,
  replicas: number,
  massOf: MassOf,
): KeptChanges {
  const at = ring.findIndex((contact) => contact.place === place)
  if (at === -1) return new Map()
  const less = changesBetween(ring.toSpliced(at, 1), ring, at, replicas, massOf)
  return new Map([...less].map(([peer, change]) => [peer, -change]))
}

/** What lies before the position at `at`, and before those before it, has other keepers in the one ring than in the other. */
function changesBetween(
  without: readonly Contact[],
  ring: readonly Contact[],
  at: number,
  replicas: number,
  massOf: MassOf,
): KeptChanges {
  const changes = new Map<PeerId, number>()
  const add = (peer: PeerId, mass: number): void => {
    const sum = (changes.get(peer) ?? 0) + mass
    if (sum === 0) changes.delete(peer)
    else changes.set(peer, sum)
  }
  if (without.length === 0) return changes
  for (let back = 0; back < Math.min(ring.length, passedMax); back++) {
    const owner = (at - back + ring.length) % ring.length
    // The arc of the position itself was a part of the arc of who follows it.
    const before = owner - (owner > at ? 1 : 0)
    const keptWith = keepersAt(ring, owner, replicas)
    const keptWithout = keepersAt(without, before % without.length, replicas)
    if (isSame(keptWith, keptWithout)) continue
    const mass = massOf(ring.at(owner - 1)!.place, ring[owner]!.place)
    for (const peer of keptWith.difference(keptWithout)) add(peer, mass)
    for (const peer of keptWithout.difference(keptWith)) add(peer, -mass)
  }
  return changes
}

export interface KeptArc {
  readonly after: RingKey
  readonly upTo: RingKey
  readonly keepers: readonly PeerId[]
}

/** What a peer is to keep: its own arcs, and of those before them as many as have it among their keepers. */
export function keptArcs(ring: readonly Contact[], peer: PeerId, replicas: number): KeptArc[] {
  const arcs = new Map<RingKey, KeptArc>()
  for (const [at, contact] of ring.entries()) {
    if (contact.peer !== peer) continue
    for (let back = 0; back < Math.min(ring.length, passedMax); back++) {
      const owner = (at - back + ring.length) % ring.length
      const upTo = ring[owner]!.place
      if (arcs.has(upTo)) break
      const keepers = keepersAt(ring, owner, replicas)
      if (keepers.has(peer)) arcs.set(upTo, { after: ring.at(owner - 1)!.place, upTo, keepers: [...keepers] })
    }
  }
  return [...arcs.values()]
}

export function keepersAt(ring: readonly Contact[], at: number, replicas: number): Set<PeerId> {
  return new Set(replicaSet(ring[at]!, roundFrom(ring, at), replicas).map(({ peer }) => peer))
}

function* roundFrom(ring: readonly Contact[], at: number): Iterable<Contact> {
  for (let step = 1; step < ring.length; step++) yield ring[(at + step) % ring.length]!
}

function isSame(ones: ReadonlySet<PeerId>, others: ReadonlySet<PeerId>): boolean {
  return ones.size === others.size && ones.isSubsetOf(others)
}
