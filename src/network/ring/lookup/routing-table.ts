// Routing table: all positions that a peer knows: its own lists and fingers, and the location cache. Answers lookups from these.

import type { RingKey } from '../../../model/ring-key.ts'
import type { Position } from '../position.ts'
import { arcBetween, isBetween, isOwned } from '../protocol/place.ts'
import type { Contact } from '../ring.ts'
import type { FindAnswer } from '../wire/answers.ts'
import { LocationCache } from './location-cache.ts'

/** Likely owners and nearer ones named in an answer: all must be dead for the asker to be at a loss. */
const namedMax = 3
/** A guess at the owner from the cache is worth a hop when at least this part of the ring is in it. */
const coverageMin = 0.5
/** Or when the gap before it is this small a part of the mean one. */
const gapMax = 0.25
/** A key so many mean gaps behind our predecessor may be that one's. */
const gapsBack = 4

type IsNearer = (one: RingKey, other: RingKey) => boolean

export class RoutingTable {
  readonly cache: LocationCache
  readonly #positions: readonly Position[]

  constructor(positions: readonly Position[], cacheMax: number) {
    this.#positions = positions
    this.cache = new LocationCache(cacheMax)
  }

  learn(contacts: Iterable<Contact>): void {
    for (const contact of contacts) this.cache.add(contact)
  }

  /** It did not answer there. */
  unlearn(contact: Contact): void {
    this.cache.remove(contact.place)
    for (const { fingers } of this.#positions) fingers.remove(contact.place)
  }

  /** How many positions the ring has, as far as can be told from here. */
  sizeEstimate(): number {
    const members = this.#positions.filter(({ machine }) => machine.status === 'member')
    let entries = 0
    let arc = 0
    for (const { machine } of members) {
      const { successors, self } = machine
      if (successors.isWhole) return 1 + successors.entries.length
      entries += successors.entries.length
      arc += arcBetween(self.place, successors.entries.at(-1)!.place)
    }
    return arc === 0 ? 1 : Math.max(1, entries / arc)
  }

  /** Our position that owns the key. */
  ownerOf(key: RingKey): Position | undefined {
    return this.#positions.find((position) => position.owns(key))
  }

  /** Whether it lies among our own successors: then we know who owns it. */
  isNearUs(key: RingKey): boolean {
    return this.#positions.some(({ machine: { status, self, predecessor, successors } }) => {
      const last = successors.entries.at(-1)?.place ?? self.place
      return status === 'member' && (successors.isWhole || isOwned(predecessor.place, key, last))
    })
  }

  /** What we say to one who looks for the key. */
  find(key: RingKey, successorsMax: number): FindAnswer {
    const position = this.ownerOf(key)
    if (position === undefined) return { kind: 'ask', ...this.waysTo(key) }
    const { self, state } = position.machine
    const { entries, isWhole } = state.successors
    const successors = {
      entries: entries.slice(0, successorsMax),
      isWhole: isWhole && entries.length <= successorsMax,
    }
    return { kind: 'mine', owner: self, predecessor: state.predecessor, successors }
  }

  /** Whom to ask for a key that is not ours. */
  waysTo(key: RingKey): Omit<FindAnswer & { kind: 'ask' }, 'kind'> {
    const likely: Contact[] = []
    const nearer = this.cache.before(key, namedMax)
    const followers: Contact[] = []
    const size = this.sizeEstimate()
    for (const position of this.#positions) {
      if (position.machine.status !== 'member') continue
      addLikely(likely, key, position, size)
      for (const contact of position.machine.successors.entries) followers.push(contact)
      for (const contact of position.fingers.contacts()) nearer.push(contact)
    }
    // Fingers and what is remembered may have died long ago. Of the successors at least one lives: who goes on through it
    // gets nearer, if slowly.
    const isLater: IsNearer = (one, other) => isBetween(other, one, key)
    const [follower] = nearest(followers, 1, isLater)
    const named = nearest([...nearer, ...followers], namedMax, isLater)
    const isNamed = follower === undefined || named.some(({ place }) => place === follower.place)
    return {
      before: this.#before(key),
      likely: nearest(likely, namedMax, (one, other) => one === key || isBetween(key, one, other)),
      nearer: isNamed ? named : [...named, follower],
    }
  }

  #before(key: RingKey): Contact | undefined {
    for (const { machine } of this.#positions) {
      const { self, status, successors } = machine
      const next = successors.entries[0] ?? self
      if (status === 'member' && isOwned(self.place, key, next.place)) return self
    }
    return undefined
  }

  /** Who may own the key, when enough is known to try it without being told. */
  guess(key: RingKey): Contact | undefined {
    const contact = this.cache.atOrAfter(key)
    if (contact === undefined) return undefined
    const size = this.sizeEstimate()
    const isKnownWell = this.cache.size >= coverageMin * size
    return isKnownWell || arcBetween(key, contact.place) * size < gapMax ? contact : undefined
  }
}

/** Where the key lies among the position's neighbours, they are the likely owners. */
function addLikely(likely: Contact[], key: RingKey, { machine }: Position, size: number): void {
  const { self, predecessor, successors } = machine
  const [first] = successors.entries
  if (first === undefined) return
  // Not yet ours, or no more: who follows us owns it, or knows.
  if (isOwned(predecessor.place, key, self.place)) likely.push(first)
  else if (arcBetween(key, predecessor.place) * size < gapsBack) likely.push(predecessor)
  let last = self.place
  for (const [index, contact] of successors.entries.entries()) {
    if (isOwned(last, key, contact.place)) {
      likely.push(...successors.entries.slice(index, index + namedMax))
      return
    }
    last = contact.place
  }
}

function nearest(contacts: Contact[], count: number, isNearer: IsNearer): Contact[] {
  const found: Contact[] = []
  for (const contact of contacts) {
    const { place } = contact
    // So few are kept that looking through them is quicker than any order.
    let rank = found.length
    while (rank > 0 && isNearer(place, found[rank - 1]!.place)) rank--
    // Known already: then it stands right before.
    if (rank >= count || found[rank - 1]?.place === place) continue
    found.splice(rank, 0, contact)
    if (found.length > count) found.pop()
  }
  return found
}
