// A peer on the ring: its positions, run on the world's clock and the transport's calls.
//
// Puts the parts together and keeps them going; what they do is theirs:
//   position.ts     one position's part in the protocol (position-machine.ts, rules.ts, ownership.ts)
//   ring-handler.ts    requests of others     ring-client.ts     our requests
//   lookup.ts          lookups                joining.ts         joining and merging
//   routing-table.ts   the positions that we know
//   upkeep.ts       what is done every so often

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { Admission } from './admission.ts'
import { Joining } from './joining.ts'
import type { KnownContacts } from './known-contacts.ts'
import { Lookup } from './lookup/lookup.ts'
import { RingClient } from './lookup/ring-client.ts'
import { RoutingTable } from './lookup/routing-table.ts'
import { Position } from './position.ts'
import { positionsMax } from './protocol/place.ts'
import type { Rules } from './protocol/rules.ts'
import { RememberedPeers } from './remembered-peers.ts'
import { replicaSet } from './replica-set.ts'
import type {
  Contact,
  KnownPeer,
  LookupResult,
  PlaceTickets,
  Replica,
  Ring,
  RingCalls,
  RingView,
} from './ring.ts'
import { RingNotMember } from './ring-error.ts'
import { RingHandler } from './ring-handler.ts'
import { type RingOptions, ringOptionsDefault } from './ring-options.ts'
import { ringView } from './ring-view.ts'
import { TicketExchange } from './ticket-exchange.ts'
import { Upkeep } from './upkeep.ts'

interface RingNeeds {
  clock: Clock
  random: Random
  calls: RingCalls
  tickets: PlaceTickets
  /** Where many peers run in one process, they can share what all of them hear of. */
  contacts?: KnownContacts
}

export class RingNode implements Ring {
  /** In the order of their indexes. */
  readonly positions: readonly Position[]
  readonly #needs: RingNeeds
  readonly #options: RingOptions
  readonly #remembered: RememberedPeers
  readonly #admission: Admission
  readonly #asking: RingClient
  readonly #routes: RoutingTable
  readonly #finding: Lookup
  readonly #entering: Joining
  readonly #upkeep: Upkeep
  readonly #answering: RingHandler
  readonly #listeners = new Set<() => void>()
  /** The same list as `positions`, which all parts read. */
  readonly #own: Position[] = []
  readonly #make: (index: number) => Position
  #state: 'new' | 'running' | 'left' = 'new'

  constructor(needs: RingNeeds, options: Partial<RingOptions> & { networkId: string }, rules?: Rules) {
    this.#needs = needs
    this.#options = { ...ringOptionsDefault, ...options }
    assert(this.#options.positions >= 1 && this.#options.positions <= positionsMax)
    const { clock, random, calls } = needs
    const admission = new Admission(needs, this.#options)
    this.#admission = admission
    this.#remembered = new RememberedPeers(random, this.#options.rememberedMax)
    const parts = { ...needs, admission, remembered: this.#remembered }
    this.#asking = new RingClient(parts, this.#options, (bytes) => this.#answering.answer(calls.self, bytes))
    const asking = this.#asking
    const tickets = new TicketExchange({ asking, admission, tickets: needs.tickets })
    const positionNeeds = {
      ...parts,
      asking,
      tickets,
      changed: (position: Position) => this.#changed(position),
      unsure: (position: Position) => this.#upkeep.unsure(position),
      learn: (contacts: Iterable<Contact>) => this.#routes.learn(contacts),
    }
    const [address = ''] = calls.addresses()
    // In open networks the address makes the place: one that changes needs a new start there.
    const isFixed = this.#options.kind === 'open'
    this.positions = this.#own
    this.#make = (index) => {
      const place = admission.placeOf(calls.self, index, address)
      const own: Contact = {
        ...{ peer: calls.self, index, place },
        get address() {
          return isFixed ? address : (calls.addresses()[0] ?? '')
        },
      }
      return new Position(positionNeeds, own, this.#options, rules)
    }
    const { places = Array.from({ length: this.#options.positions }, (_, index) => index) } = this.#options
    assert(places.length > 0 && places.every((index) => index >= 0 && index < positionsMax))
    for (const index of new Set(places)) this.#add(index)
    this.#routes = new RoutingTable(this.positions, this.#options.cacheMax)
    this.#finding = new Lookup({ ...positionNeeds, routes: this.#routes }, this.#options)
    this.#entering = new Joining({ clock, admission, asking, finding: this.#finding }, this.#options)
    this.#upkeep = new Upkeep(
      {
        ...positionNeeds,
        finding: this.#finding,
        entering: this.#entering,
        positions: this.positions,
        routes: this.#routes,
      },
      this.#options,
    )
    this.#answering = new RingHandler({
      ...positionNeeds,
      routes: this.#routes,
      positions: this.positions,
      metAgain: ({ peer, address: at }, position) =>
        this.#upkeep.metAgain({ peer, addresses: [at] }, position),
    })
  }

  start(): void {
    if (this.#state !== 'new') return
    this.#state = 'running'
    this.#needs.calls.answer((from, bytes) => this.#answering.answer(from, bytes))
    this.#upkeep.start()
  }

  async join(peers: KnownPeer[]): Promise<void> {
    this.start()
    const others = peers.filter(({ peer }) => peer !== this.#needs.calls.self)
    for (const { peer, addresses } of others) this.#remembered.add(peer, addresses)
    const [first, ...more] = this.positions.filter(({ machine }) => machine.status === 'joining')
    if (first === undefined) {
      this.#lookFor(others)
      return
    }
    if (others.length > 0) await this.#entering.join(first, others)
    else first.create()
    first.start()
    // Ours are on the ring with the first: the rest can go through it.
    const through = [{ peer: this.#needs.calls.self, addresses: [] }, ...others]
    for (const position of more) {
      await this.#entering.join(position, through)
      position.start()
    }
  }

  async observe(peers: KnownPeer[]): Promise<void> {
    this.start()
    const through = peers.filter(({ peer }) => peer !== this.#needs.calls.self)
    for (const { peer, addresses } of through) this.#remembered.add(peer, addresses)
    const { successorsMax } = this.#options
    const { place } = this.positions[0]!.machine.self
    const found = await this.#finding.find(place, { successorsMax, through })
    const { owner, predecessor, successors } = found
    const named = [owner, predecessor, ...successors.entries]
    // Who is not on a list of all has gone.
    if (successors.isWhole) this.#routes.cache.keepOnly(new Set(named.map((contact) => contact.place)))
    for (const { peer, address } of named) this.#remembered.add(peer, [address])
    for (const listener of this.#listeners) listener()
  }

  async leave(): Promise<void> {
    if (this.#state === 'left') return
    this.#state = 'left'
    this.#upkeep.end()
    // The last first: each bequeaths to one that stays, if only for a moment.
    for (const position of this.positions) if (position.machine.status !== 'left') position.leave()
    await this.#needs.clock.sleep(this.#options.timeoutMsMin)
    this.#asking.end()
  }

  async takePlace(index: number): Promise<boolean> {
    assert(index >= 0 && index < positionsMax)
    const isOn = this.positions.some(({ machine }) => machine.status === 'member')
    if (this.#state !== 'running' || !isOn || this.#positionAt(index) !== undefined) return false
    const position = this.#add(index)
    this.#upkeep.begin(position)
    try {
      await this.#entering.join(position, [{ peer: this.#needs.calls.self, addresses: [] }])
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#remove(position)
      return false
    }
    position.start()
    return true
  }

  givePlace(index: number): boolean {
    const members = this.positions.filter(({ machine }) => machine.status === 'member')
    const position = members.find(({ machine }) => machine.self.index === index)
    if (position === undefined || members.length === 1) return false
    this.#remove(position)
    return true
  }

  placeAt(index: number): RingKey {
    return this.#admission.placeOf(this.#needs.calls.self, index, this.#needs.calls.addresses()[0] ?? '')
  }

  async lookup(key: RingKey): Promise<LookupResult> {
    if (this.#state !== 'running') throw new RingNotMember()
    const found = await this.#finding.find(key, { successorsMax: this.#options.successorsMax })
    const replicas = replicaSet(found.owner, found.successors.entries, this.#options.replicas).map(asReplica)
    return { key, owner: asReplica(found.owner), replicas, hops: found.hops }
  }

  isOwner(key: RingKey): boolean {
    return this.#routes.ownerOf(key) !== undefined
  }

  isPlaceOf(peer: PeerId, place: RingKey): boolean {
    return this.#admission.isPlaceOf(peer, place)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  view(): RingView {
    return ringView(this.#needs.calls.self, this.positions, this.#routes, this.#asking.neighbours)
  }

  remembered(): KnownPeer[] {
    return this.#remembered.list()
  }

  /** On the ring already: those who are not seen here may be on another, which upkeep.ts finds out. */
  #lookFor(peers: KnownPeer[]): void {
    const contacts = this.positions.flatMap(({ machine }) => [
      machine.predecessor,
      ...machine.successors.entries,
    ])
    const seen = new Set(contacts.map(({ peer }) => peer))
    for (const { peer } of peers) if (!seen.has(peer)) this.#remembered.lost(peer)
  }

  #positionAt(index: number): Position | undefined {
    return this.positions.find(({ machine }) => machine.self.index === index)
  }

  #add(index: number): Position {
    const position = this.#make(index)
    const at = this.#own.findIndex(({ machine }) => machine.self.index > index)
    this.#own.splice(at === -1 ? this.#own.length : at, 0, position)
    return position
  }

  /** Those who are told of it see it gone before it is forgotten. */
  #remove(position: Position): void {
    position.leave()
    this.#changed(position)
    this.#upkeep.forget(position)
    this.#own.splice(this.#own.indexOf(position), 1)
  }

  #changed(position: Position): void {
    const { predecessor, successors } = position.machine
    const neighbours = [predecessor, ...successors.entries]
    for (const { peer, address } of neighbours) {
      if (peer !== this.#needs.calls.self) this.#remembered.add(peer, [address])
    }
    if (successors.isWhole) this.#remembered.onlyPresent(new Set(neighbours.map(({ peer }) => peer)))
    for (const listener of this.#listeners) listener()
  }
}

function asReplica({ peer, place, address }: Contact): Replica {
  return { peer, position: place, address }
}
