// A large ring that lives: peers come and go by their sessions, a tenth leaves at once, keys are looked up all the while.
//
// The ring is the real one, on virtual time; it begins in its ideal state (built-ring.ts). Sessions are exponential with a given
// median, as in S. Rhea and others, "Handling churn in a DHT", 2004; who goes does so without a word, half of them silently and
// half refusing, and whoever comes is new.
//
// What is smaller than life, so that twenty thousand fit into one process:
// - `slowness` makes all that is done periodically so many times rarer: rounds of stabilising, fingers, merging, ownership. What
//   matters to a ring is how many rounds a session has: an hour's sessions at a slowness of 30 are as hard on it as two minutes'
//   at the program's own pace, and bytes a second are so many times fewer. 1 is the program's own pace.
// - Most peers remember few positions (`cacheOfMost`), as each of a million would; some none, and a few as many as in the program.

import type { RingKey } from '../../src/model/ring-key.ts'
import { type RingOptions, ringOptionsDefault } from '../../src/network/ring/ring-options.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { buildRing, someKey } from '../ring/built-ring.ts'
import type { RingWorld, SimulatedPeer } from '../ring/ring-world.ts'
import { Bookkeeping } from './bookkeeping.ts'
import { LivePlaces } from './live-places.ts'
import { type AskerKind, LookupBook } from './lookup-book.ts'

export interface ChurnOptions {
  seed: string
  peers: number
  medianSessionMs: number
  slowness: number
  lookupsPerSecond: number
}

const { stabiliseMs, fingerMs, mergeMs, ownershipMs, successorsMax } = ringOptionsDefault
const stepMs = 1_000
const cacheOfMost = 512
/** They stay for the whole run. */
const warmPeers = 4
/** One of so many remembers nothing. */
const coldOneIn = 20
/** One of so many keeps the books of replication. */
const booksOneIn = 100
const kinds: readonly AskerKind[] = ['cold', 'usual', 'warm']

export class ChurnedRing {
  readonly world: RingWorld
  readonly live = new LivePlaces()
  readonly book = new LookupBook(this.live)
  readonly bookkeeping: Bookkeeping
  readonly roundMs: number
  readonly counts = { joins: 0, deaths: 0, twoOwners: 0 }
  isChurning = true
  readonly #options: ChurnOptions
  readonly #random: SimulatedRandom
  /** Those on the ring, by kind. */
  readonly #members: Record<AskerKind, SimulatedPeer[]> = { cold: [], usual: [], warm: [] }
  readonly #kinds = new Map<SimulatedPeer, AskerKind>()
  readonly #rankOf = new Map<SimulatedPeer, number>()
  #begun = 0

  constructor(options: ChurnOptions) {
    const { seed, peers, slowness } = options
    this.#options = options
    this.roundMs = stabiliseMs * slowness
    const { world, peers: first } = buildRing(peers, {
      seed: `scale ${seed}`,
      ring: ringAt(slowness),
      ringOf: (number) => cacheOf(kindOf(number)),
    })
    this.world = world
    this.#random = world.random.fork('churn')
    this.bookkeeping = new Bookkeeping(this.live, this.roundMs)
    world.changed = (peer) => this.#changed(peer)
    for (const peer of first) this.#begin(peer)
    for (const peer of first) this.#changed(peer)
    world.fabric.watch = (_, question, answer) => this.#answered(question, answer)
  }

  get #all(): number {
    return kinds.reduce((sum, kind) => sum + this.#members[kind].length, 0)
  }

  /** For so long, or until it is told to end: asked after each step. */
  async last(durationMs: number, isOver: () => boolean = () => false): Promise<void> {
    const { simulation } = this.world
    const untilMs = simulation.nowMs + durationMs
    while (simulation.nowMs < untilMs && !isOver()) {
      if (this.isChurning) this.#churn()
      this.#times(this.#options.lookupsPerSecond * (stepMs / 1_000), () => this.#lookUp())
      await simulation.advance(Math.min(stepMs, untilMs - simulation.nowMs))
      this.live.update(simulation.nowMs)
    }
  }

  /** So many of those who may go, all at once. */
  strike(share: number): void {
    const { cold, usual } = this.#members
    const mortal = [...cold, ...usual]
    for (const peer of mortal) if (this.#random.chance(share)) this.#kill(peer)
  }

  /** How many of so many positions, taken from all, have exactly the neighbours that they should have. */
  idealShare(count: number): number {
    const taken = Math.min(count, this.live.count)
    let ideal = 0
    const start = taken === this.live.count ? this.#firstKey() : undefined
    const some = start ? this.live.from(start, taken) : this.#some(taken)
    for (const { position } of some) {
      const { self, predecessor, successors } = position.machine
      const [, ...next] = this.live.contactsFrom(self.place, successorsMax + 1)
      const expected = next.slice(0, this.live.count - 1)
      const isIdeal =
        successors.entries.length === expected.length &&
        successors.entries.every(({ place }, at) => place === expected[at]!.place) &&
        expected.length > 0 &&
        this.live.contactsFrom(predecessor.place, 2)[1]?.place === self.place
      if (isIdeal) ideal++
    }
    return ideal / taken
  }

  /** Whether every key of so many has its owner. */
  areOwned(keys: readonly RingKey[]): boolean {
    return keys.every((key) => [...this.live.from(key, 1)].every(({ position }) => position.owns(key)))
  }

  someKeys(count: number): RingKey[] {
    return Array.from({ length: count }, () => someKey(this.world))
  }

  #churn(): void {
    const meanMs = this.#options.medianSessionMs / Math.LN2
    const { cold, usual } = this.#members
    this.#times((this.#options.peers * stepMs) / meanMs, () => this.#join())
    this.#times(((cold.length + usual.length) * stepMs) / meanMs, () => {
      const peer = this.#someMortal()
      if (peer !== undefined) this.#kill(peer)
    })
  }

  #join(): void {
    const peer = this.world.begin({ ring: cacheOf(kindOf(this.#begun)) })
    this.#begin(peer)
    void this.world.join(peer, () => [this.#someone(), this.#someone()])
  }

  #begin(peer: SimulatedPeer): void {
    const number = this.#begun++
    this.#kinds.set(peer, kindOf(number))
    if (number % booksOneIn === 0) this.bookkeeping.begin(peer)
  }

  /** It has become a member, for one. */
  #changed(peer: SimulatedPeer): void {
    const [position] = peer.node.positions
    if (position!.machine.status !== 'member' || this.#rankOf.has(peer)) return
    const members = this.#members[this.#kinds.get(peer)!]
    this.#rankOf.set(peer, members.length)
    members.push(peer)
    this.counts.joins++
    this.live.joined(position!)
  }

  #kill(peer: SimulatedPeer): void {
    const members = this.#members[this.#kinds.get(peer)!]
    const rank = this.#rankOf.get(peer)!
    const last = members.pop()!
    if (last !== peer) {
      members[rank] = last
      this.#rankOf.set(last, rank)
    }
    this.#rankOf.delete(peer)
    this.#kinds.delete(peer)
    this.bookkeeping.end(peer)
    this.world.kill(peer, this.#random.chance(0.5))
    this.live.died(peer.node.positions[0]!, this.world.simulation.nowMs)
    this.counts.deaths++
  }

  /** A third by each kind, so that all have figures. */
  #lookUp(): void {
    const kind = kinds[this.#random.below(kinds.length)]!
    const members = this.#members[kind]
    if (members.length === 0) return
    void this.book.lookUp(members[this.#random.below(members.length)]!, kind, someKey(this.world))
  }

  /** At the moment when one says that a key is its own, does another say so, too? */
  #answered(question: Uint8Array, answer: Uint8Array): void {
    const isOwner = question[1] === 1 && answer[1] === 1
    if (!isOwner) return
    const key = Buffer.from(question.subarray(2, 22)).toString('hex') as RingKey
    let owners = 0
    for (const { position } of this.live.from(key, successorsMax)) if (position.owns(key)) owners++
    if (owners > 1) this.counts.twoOwners++
  }

  #someone(): SimulatedPeer {
    let rank = this.#random.below(this.#all)
    for (const kind of kinds) {
      const members = this.#members[kind]
      if (rank < members.length) return members[rank]!
      rank -= members.length
    }
    throw new Error('nobody is left')
  }

  #someMortal(): SimulatedPeer | undefined {
    const { cold, usual } = this.#members
    if (cold.length + usual.length === 0) return undefined
    const rank = this.#random.below(cold.length + usual.length)
    return cold[rank] ?? usual[rank - cold.length]
  }

  *#some(count: number) {
    for (let one = 0; one < count; one++) yield* this.live.from(someKey(this.world), 1)
  }

  #firstKey(): RingKey {
    return '0'.repeat(40) as RingKey
  }

  /** So many times on average. */
  #times(mean: number, task: () => void): void {
    const whole = Math.floor(mean)
    const count = whole + (this.#random.chance(mean - whole) ? 1 : 0)
    for (let one = 0; one < count; one++) task()
  }
}

function kindOf(number: number): AskerKind {
  if (number < warmPeers) return 'warm'
  return number % coldOneIn === 7 ? 'cold' : 'usual'
}

function cacheOf(kind: AskerKind): Partial<RingOptions> {
  if (kind === 'warm') return {}
  return { cacheMax: kind === 'cold' ? 0 : cacheOfMost }
}

function ringAt(slowness: number): Partial<RingOptions> {
  return {
    stabiliseMs: slowness * stabiliseMs,
    fingerMs: slowness * fingerMs,
    mergeMs: slowness * mergeMs,
    ownershipMs: slowness * ownershipMs,
  }
}
