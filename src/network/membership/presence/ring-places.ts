// Ring places: the ring as the other parts of a peer need it: owners and replica sets of keys, and absent peers.
//
// `replicaSet` is what the ring says now; `fullSet` what it would say if every peer were present that is not gone for good: so
// copies are not moved for an absence, and one side of a partition does not decide as if it were the whole network. Near us both
// are right as soon as the ring is; far away they are guesses from what was heard.

import type { AwayPeer } from '../../../model/peer-status.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { PeriodicTask } from '../../../platform/periodic-task.ts'
import { SteadyClock } from '../../../platform/steady-clock.ts'
import type { Owner, Owners } from '../../link-delivery/owners.ts'
import type { PatienceLimits } from '../../replication/copies/patience.ts'
import { SplitSites } from '../../replication/split-sites/split-sites.ts'
import { isBetween, isOwned, positionsMax } from '../../ring/protocol/place.ts'
import { replicaSet } from '../../ring/replica-set.ts'
import type { Contact, LookupResult, PositionView, Ring, RingView } from '../../ring/ring.ts'
import { type Departure, Presence, type RememberedPresence } from './presence.ts'

interface OwnArc {
  readonly after: RingKey
  readonly upTo: RingKey
  readonly replicas: readonly PeerId[]
  readonly full: readonly PeerId[]
}

interface RingPlacesNeeds {
  readonly ring: Ring
  readonly clock: Clock
  learn(peer: PeerId, addresses: readonly string[]): void
  /** Whether this peer is on probation; not when not given. */
  isSpare?(): boolean
  /** Keeps what is known of others over restarts. */
  keep?(remembered: readonly RememberedPresence[]): void
}

interface RingPlacesOptions {
  readonly kind: 'invited' | 'open'
  /** How many keep each thing. */
  readonly replicas: number
  readonly patience: PatienceLimits
  readonly remembered?: readonly RememberedPresence[] | undefined
  /** Who vanished without a change of our neighbours is noticed this often; it takes longer the more are known. */
  readonly lookMs?: number | undefined
}

const lookMsDefault = 1_000
const taughtMax = 4_096
const stoodMax = 65_536
const followingMax = 8
/** Those who come to a network one after the other when it is made, or whom we hear of in our first minutes. */
const settlingMs = 600_000

export class RingPlaces {
  readonly owners: Owners
  /** Where the parts of large sites lie. */
  readonly splits = new SplitSites()
  readonly #needs: RingPlacesNeeds
  readonly #options: RingPlacesOptions
  readonly #steady: SteadyClock
  readonly #presence: Presence
  readonly #listeners = new Set<() => void>()
  readonly #stop: () => void
  readonly #lookMs: number
  readonly #looking: PeriodicTask
  #view: RingView | undefined
  /** Of that view: our positions on the ring, whom we hear of, and who keeps what our positions own. Asked for with every page and every site. */
  #membersNow: readonly PositionView[] | undefined
  #presentNow: readonly Contact[] | undefined
  #peersNow: { readonly peers: readonly PeerId[]; readonly presenceVersion: number } | undefined
  readonly #replicasNow = new Map<RingKey, readonly PeerId[]>()
  /** Everybody in the order of the ring, as of that view. */
  #sorted: readonly Contact[] | undefined
  /** By the first of them at or behind a key: who would keep it. */
  readonly #fullSets = new Map<RingKey, readonly PeerId[]>()
  /** As they were last given out. */
  #arcs: readonly OwnArc[] = []
  /** Where peers are, as the transport was told. */
  readonly #taught = new Map<PeerId, string>()
  /** Where others have stood near us since our start. */
  readonly #stood = new Map<PeerId, Set<RingKey>>()

  constructor(needs: RingPlacesNeeds, options: RingPlacesOptions) {
    this.#needs = needs
    this.#options = options
    this.#steady = new SteadyClock(needs.clock)
    this.#presence = new Presence(options.patience, options.remembered, this.nowMs())
    this.#stop = needs.ring.onChange(() => this.#changed())
    this.owners = this.#asOwners()
    this.#lookMs = options.lookMs ?? lookMsDefault
    this.#looking = new PeriodicTask(needs, this.#lookMs, () => {
      this.#forgetView()
      this.#look()
    })
    this.#look()
  }

  isSpare(): boolean {
    return this.#needs.isSpare?.() ?? false
  }

  get self(): PeerId {
    return this.#now.peer
  }

  /** Wall time that does not jump while we run: by it absences are measured. */
  nowMs(): number {
    return this.#steady.nowMs()
  }

  isOwner(key: RingKey): boolean {
    return this.#needs.ring.isOwner(key)
  }

  /** Now, ourselves first; undefined when the key is not ours. */
  replicaSet(key: RingKey): readonly PeerId[] | undefined {
    if (!this.isOwner(key)) return undefined
    const position = this.#positionOf(key)
    return position && this.#replicasOf(position)
  }

  /** Empty before we are on a ring. */
  fullSet(key: RingKey): readonly PeerId[] {
    const contacts = this.#everybody()
    if (contacts.length === 0) return []
    const start = ownerAt(contacts, key)
    const first = contacts[start]!
    let full = this.#fullSets.get(first.place)
    if (full === undefined) {
      full = replicaSet(first, roundFrom(contacts, start), this.#options.replicas).map(({ peer }) => peer)
      this.#fullSets.set(first.place, full)
    }
    return full
  }

  /** So many distinct peers from the key on, those who keep it first. */
  following(key: RingKey, count: number): readonly PeerId[] {
    const contacts = this.#everybody()
    const start = contacts.length === 0 ? 0 : ownerAt(contacts, key)
    const peers = new Set(this.fullSet(key))
    for (let step = 0; step < contacts.length && peers.size < count; step++)
      peers.add(contacts[(start + step) % contacts.length]!.peer)
    return [...peers]
  }

  /** The arcs of another peer, as far as it is known here: near us exactly. */
  arcsOf(peer: PeerId): { after: RingKey; upTo: RingKey }[] {
    return this.#everybody().flatMap((contact, index, all) =>
      contact.peer === peer ? [{ after: all.at(index - 1)!.place, upTo: contact.place }] : [],
    )
  }

  /** What a position there owns, or would. undefined while nobody else is known. */
  arcUpTo(place: RingKey): { after: RingKey; upTo: RingKey } | undefined {
    const contacts = this.#everybody()
    const before = contacts.length === 0 ? undefined : contacts.at(ownerAt(contacts, place) - 1)
    return before && { after: before.place, upTo: place }
  }

  /** Whether the peer may have been among those who kept the key at that time, or is now: fewer than twice as many as keep it lie
   * between the two that we knew already then, wherever we have seen it stand. Twice, for some of them may have been away. */
  mayHaveKept(peer: PeerId, key: RingKey, atMs: number): boolean {
    const contacts = this.#everybody()
    const start = ownerAt(contacts, key)
    const between = new Set<PeerId>()
    for (let step = 0; step < contacts.length; step++) {
      const contact = contacts[(start + step) % contacts.length]!
      if (contact.peer === peer) return true
      if (contact.peer === this.self || this.#wasKnown(contact.peer, atMs)) between.add(contact.peer)
      // Of a place that it gave up it may hand over copies still. Its ticket's other places say nothing: they are all over the ring.
      if (between.size >= 2 * this.#options.replicas)
        return [...(this.#stood.get(peer) ?? [])].some((place) => isBetween(key, place, contact.place))
    }
    return false
  }

  /** We know it for less than twice the time that an absence is waited for at least: in that time whoever was only away is back. */
  isYoung(peer: PeerId): boolean {
    const sinceMs = this.#presence.knownSinceMs(peer)
    const youngMs = 2 * this.#options.patience.patienceMsMin
    return sinceMs === undefined || this.nowMs() - sinceMs < youngMs
  }

  /** It is young, and came when we had been here for a while: of who was there before us that cannot be said. */
  isNewcomer(peer: PeerId): boolean {
    const sinceMs = this.#presence.knownSinceMs(peer)
    return (
      this.isYoung(peer) && (sinceMs === undefined || sinceMs > this.#presence.firstKnownMs() + settlingMs)
    )
  }

  #wasKnown(peer: PeerId, atMs: number): boolean {
    const sinceMs = this.#presence.knownSinceMs(peer)
    return sinceMs !== undefined && sinceMs <= atMs
  }

  isGone(peer: PeerId): boolean {
    return peer !== this.self && this.#presence.isGone(peer, this.nowMs())
  }

  /** It is gone for good, and is not waited for when it is missed; undefined: it is not. */
  left(peer: PeerId, departure: Departure | undefined): void {
    this.#presence.left(peer, departure)
    this.#changed()
  }

  lookup(key: RingKey): Promise<LookupResult> {
    return this.#needs.ring.lookup(key)
  }

  /** An arc that is as it was before is the same object: whoever has worked something out for it need not do so again. */
  ownArcs(): readonly OwnArc[] {
    const arcs = this.#members()
      .filter(({ place }) => this.isOwner(place))
      .map((position) => this.#arcOf(position))
    this.#arcs = arcs
    return arcs
  }

  #arcOf(position: PositionView): OwnArc {
    const after = position.predecessor.place
    const upTo = position.place
    const replicas = this.#replicasOf(position)
    const full = this.fullSet(position.place)
    const known = this.#arcs.find((arc) => arc.upTo === upTo)
    const isKnown =
      known?.after === after && areSamePeers(known.replicas, replicas) && areSamePeers(known.full, full)
    return isKnown ? known : { after, upTo, replicas, full }
  }

  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[] {
    const presenceVersion = this.#presence.version
    if (this.#peersNow?.presenceVersion !== presenceVersion) {
      const peers = new Set(this.#present().map(({ peer }) => peer))
      peers.delete(this.self)
      this.#peersNow = {
        peers: [...peers].filter((peer) => !this.#presence.isMissed(peer)),
        presenceVersion,
      }
    }
    return this.#peersNow.peers
  }

  /** Where everybody is who is known to be on the ring now, with ourselves; each place once. */
  positions(): readonly Contact[] {
    const peers = new Set([this.self, ...this.peers()])
    const byPlace = new Map(this.#present().map((contact) => [contact.place, contact]))
    return [...byPlace.values()].filter(({ peer }) => peers.has(peer))
  }

  /** With those who are missed and not gone for good. */
  members(): readonly PeerId[] {
    const peers = new Set(this.#everybody().map(({ peer }) => peer))
    peers.delete(this.self)
    return [...peers]
  }

  /** Who is missed, for however long, and has not left by anybody's word. */
  missed(): readonly PeerId[] {
    return this.#presence.missed()
  }

  away(): AwayPeer[] {
    return this.#presence.away(this.nowMs())
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#stop()
    void this.#looking.close()
    this.#needs.keep?.(this.#presence.all())
  }

  get #now(): RingView {
    this.#view ??= this.#needs.ring.view()
    return this.#view
  }

  #members(): readonly PositionView[] {
    this.#membersNow ??= this.#now.positions.filter(({ status }) => status === 'member')
    return this.#membersNow
  }

  #positionOf(key: RingKey): PositionView | undefined {
    return this.#members().find(({ predecessor, place }) => isOwned(predecessor.place, key, place))
  }

  #contactOf({ place, index }: PositionView): Contact {
    const known = this.#now.known.find(({ contact }) => contact.place === place)
    return known?.contact ?? { peer: this.self, index, place, address: '' }
  }

  #replicasOf(position: PositionView): readonly PeerId[] {
    let replicas = this.#replicasNow.get(position.place)
    if (replicas === undefined) {
      const own = this.#contactOf(position)
      replicas = replicaSet(own, position.successors, this.#options.replicas).map(({ peer }) => peer)
      this.#replicasNow.set(position.place, replicas)
    }
    return replicas
  }

  /** Whom we hear of: near us exactly those who are there. */
  #present(): readonly Contact[] {
    this.#presentNow ??= this.#heardOf()
    return this.#presentNow
  }

  #heardOf(): Contact[] {
    const near = this.#members().flatMap((position) => [
      this.#contactOf(position),
      position.predecessor,
      ...position.successors,
    ])
    const places = new Set(near.map(({ place }) => place))
    const far = this.#now.known
      .map(({ contact }) => contact)
      .filter((contact) => !places.has(contact.place) && !this.#isNear(contact))
    return [...near, ...far]
  }

  /** Whether we would know a position that lies there. */
  #isNear({ place }: Contact): boolean {
    return this.#members().some(({ place: own, predecessor, successors, isWhole }) => {
      const last = successors.at(-1)?.place ?? own
      return isWhole || place === last || isBetween(predecessor.place, place, last)
    })
  }

  /** With those who are missed and not gone, in the order of the ring. */
  #everybody(): readonly Contact[] {
    this.#sorted ??= this.#inOrder()
    return this.#sorted
  }

  #inOrder(): Contact[] {
    const all = [...this.#present(), ...this.#presence.awaited(this.nowMs())]
    const byPlace = new Map(all.map((contact) => [contact.place, contact]))
    return [...byPlace.values()].sort((one, other) => (one.place < other.place ? -1 : 1))
  }

  #forgetView(): void {
    this.#view = undefined
    this.#membersNow = undefined
    this.#presentNow = undefined
    this.#peersNow = undefined
    this.#replicasNow.clear()
    this.#forgetOrder()
  }

  #forgetOrder(): void {
    this.#sorted = undefined
    this.#fullSets.clear()
  }

  #changed(): void {
    this.#forgetView()
    this.#look()
    this.#looking.runIn(this.#lookMs)
    for (const listener of [...this.#listeners]) listener()
  }

  #look(): void {
    const nowMs = this.nowMs()
    const others = this.#present().filter(({ peer }) => peer !== this.self)
    for (const contact of others) {
      this.#teach(contact.peer, contact.address)
      if (this.#isNear(contact)) this.#noteWhere(contact)
    }
    // Before we are on a ring, nobody can be missed.
    if (this.#members().length === 0) return
    const isChanged = this.#presence.seen(others, (contact) => this.#isNear(contact), nowMs)
    this.#forgetOrder()
    if (isChanged) this.#needs.keep?.(this.#presence.all())
  }

  /** The ring asks only some peers itself; the other parts may ask any. */
  #teach(peer: PeerId, address: string): void {
    if (address === '' || this.#taught.get(peer) === address) return
    if (this.#taught.size >= taughtMax) this.#taught.clear()
    this.#taught.set(peer, address)
    this.#needs.learn(peer, [address])
  }

  #noteWhere({ peer, place }: Contact): void {
    const stood = this.#stood.get(peer)
    if (stood === undefined && this.#stood.size < stoodMax) this.#stood.set(peer, new Set([place]))
    else if (stood !== undefined && stood.size < positionsMax) stood.add(place)
  }

  #asOwners(): Owners {
    return {
      self: this.self,
      isOwner: (key) => this.isOwner(key),
      ownerOf: async (key) => {
        const { owner } = await this.lookup(key)
        return { peer: owner.peer, upTo: owner.position, addresses: addressesOf(owner) }
      },
      arcOf: (key) => {
        const position = this.isOwner(key) ? this.#positionOf(key) : undefined
        return (
          position && {
            after: position.predecessor.place,
            upTo: position.place,
            following: position.successors.slice(0, followingMax).map(asOwner),
          }
        )
      },
      likelyOwnerOf: (key) => {
        const contacts = this.#present().toSorted((one, other) => (one.place < other.place ? -1 : 1))
        const contact = contacts.find(({ place }) => place >= key) ?? contacts[0]
        return contact && asOwner(contact)
      },
      isPlaceOf: (peer, place) => this.#isPlaceOf(peer, place),
      learn: (peer, addresses) => this.#needs.learn(peer, addresses),
    }
  }

  #isPlaceOf(peer: PeerId, place: RingKey): boolean {
    // In open networks places come from addresses, which the ring has checked.
    if (this.#options.kind === 'open')
      return this.#present().some((contact) => contact.peer === peer && contact.place === place)
    return this.#needs.ring.isPlaceOf(peer, place)
  }
}

/** Where the first contact at or behind the key stands; round the ring it is the first of all. They are in order. */
function ownerAt(contacts: readonly Contact[], key: RingKey): number {
  let [low, high] = [0, contacts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (contacts[middle]!.place < key) low = middle + 1
    else high = middle
  }
  return low === contacts.length ? 0 : low
}

function areSamePeers(ones: readonly PeerId[], others: readonly PeerId[]): boolean {
  return ones === others || (ones.length === others.length && ones.every((one, at) => one === others[at]))
}

/** The others in the order of the ring. */
function* roundFrom(contacts: readonly Contact[], start: number): Iterable<Contact> {
  for (let step = 1; step < contacts.length; step++) yield contacts[(start + step) % contacts.length]!
}

function asOwner(contact: Contact): Owner {
  return { peer: contact.peer, upTo: contact.place, addresses: addressesOf(contact) }
}

function addressesOf({ address }: { address: string }): string[] {
  return address === '' ? [] : [address]
}
