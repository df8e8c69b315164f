// Watches a simulated ring and finds what must never happen.
//
// Always: lists are in the order of the ring, without duplicates, not too long, and without their owner.
// Strictly, under P. Zave's assumptions (calm-campaign.ts):
// - every member has a live successor, and no base member is skipped by any two neighbours in any member's [self] + list;
// - the live successors of all members form one ring, in order;
// - no key has two owners at a time, and whoever accepts a key owns it.
// Positions are looked at when they change, and only those; the ring as a whole when any does, where it is small. Where it is
// large that follows: whose successors live and skip nobody of the base comes, going on from one to the next, to each of
// the base in turn. So there it is only looked at every step of the campaign, to be sure.

import type { RingKey } from '../../src/model/ring-key.ts'
import type { Position } from '../../src/network/ring/position.ts'
import { isBetween } from '../../src/network/ring/protocol/place.ts'
import { isOrderly, type SuccessorList } from '../../src/network/ring/protocol/successor-list.ts'
import type { RingWorld, SimulatedPeer } from './ring-world.ts'

const smallRing = 64

export interface Violation {
  rule: string
  atMs: number
  detail: string
}

/** A list that is under way. */
interface Letter {
  to: string
  list: SuccessorList
}

export class RingChecker {
  readonly live = new Map<RingKey, Position>()
  violation: Violation | undefined
  isStrict: boolean
  base: RingKey[] = []
  /** The list of the one that was left when all others had died. */
  #listOfLast: SuccessorList | undefined
  readonly #world: RingWorld
  readonly #successorsMax: number

  constructor(world: RingWorld, options: { successorsMax: number; isStrict: boolean }) {
    this.#world = world
    this.#successorsMax = options.successorsMax
    this.isStrict = options.isStrict
    world.changed = (peer) => this.#changed(peer)
    world.fabric.watch = (from, question, answer, to) => this.#answered(from, question, answer, to)
  }

  /** From now on these are never skipped. */
  setBase(peers: Iterable<SimulatedPeer>): void {
    this.base = [...peers]
      .flatMap(({ node }) => node.positions.map(({ machine }) => machine.self.place))
      .sort()
  }

  /** Called with each position that has come onto the ring. */
  joined: (position: Position) => void = () => {}

  died(peer: SimulatedPeer): void {
    for (const { machine } of peer.node.positions) this.live.delete(machine.self.place)
    this.#fewer()
  }

  /** A place was given up by a peer that goes on. */
  gaveUp(): void {
    this.#fewer()
  }

  #fewer(): void {
    if (this.live.size === 1) this.#listOfLast = [...this.live.values()][0]!.machine.successors
    if (!this.isStrict) return
    for (const position of this.live.values()) this.#checkSuccessors(position)
    if (this.live.size <= smallRing) this.checkRing()
  }

  /** Would everybody still have a live successor, also after taking in the answers that are under way? One alone may be
   * left without, when its list is whole and has room: then who joins it meanwhile gets it at the list's end, and not only the
   * dead. */
  mayDie(peer: SimulatedPeer): boolean {
    const isLeft = (list: SuccessorList): boolean =>
      list.entries.some(({ peer: name, place }) => name !== peer.name && this.live.has(place))
    const others = [...this.live.values()].filter(({ machine }) => machine.self.peer !== peer.name)
    const lists = others.map(({ machine }) => machine.successors)
    const hasRoom = ({ isWhole, entries }: SuccessorList) => isWhole && entries.length < this.#successorsMax
    const isSafe = others.length === 1 ? hasRoom(lists[0]!) : lists.every((list) => isLeft(list))
    const letters = [...this.#world.fabric.underWay].map(({ kept }) => kept as Letter)
    return isSafe && letters.every(({ to, list }) => to === peer.name || isLeft(list))
  }

  /** The live successors of all form one ring, in order. */
  checkRing(): void {
    if (!this.isStrict || this.live.size === 0) return
    const followed = new Map<RingKey, RingKey>()
    for (const [place, { machine }] of this.live) {
      const next = machine.successors.entries.find((contact) => this.live.has(contact.place))
      followed.set(place, next?.place ?? place)
    }
    const onRing = cycleFrom(followed, this.live.keys().next().value!)
    const leadsThere = new Set(onRing)
    for (const place of this.live.keys()) {
      if (!isLedTo(leadsThere, followed, place))
        this.#found('one ring', `${short(place)} leads to another ring`)
    }
    const turns = onRing.filter((place) => followed.get(place)! <= place).length
    if (turns !== 1) this.#found('ordered ring', `it goes round ${turns} times`)
  }

  /** At most one owns the key. */
  checkOwner(key: RingKey): void {
    if (!this.isStrict) return
    let owner: Position | undefined
    for (const position of this.live.values()) {
      if (!position.owns(key)) continue
      if (owner !== undefined) {
        const places = [owner, position].map(({ machine }) => short(machine.self.place))
        this.#found('one owner', `${short(key)} is owned by ${places.join(' and ')}`)
      }
      owner = position
    }
  }

  #changed(peer: SimulatedPeer): void {
    for (const position of peer.node.positions) {
      const { status, self } = position.machine
      if (status === 'member' && !peer.port.isOver) {
        if (!this.live.has(self.place)) this.joined(position)
        this.live.set(self.place, position)
      } else this.live.delete(self.place)
      if (status === 'member') this.#checkPosition(position)
    }
    if (this.live.size <= smallRing) this.checkRing()
  }

  #checkPosition(position: Position): void {
    const { self, successors, predecessor } = position.machine
    const { simulation } = this.#world
    simulation.note(self.place, predecessor.place, successors.entries[0]?.place ?? '')
    if (!isOrderly(self.place, successors)) this.#found('orderly list', describe(position))
    if (successors.entries.length > this.#successorsMax) this.#found('short list', describe(position))
    if (!this.isStrict) return
    this.#checkSuccessors(position)
    this.#checkBase(position)
    if (this.live.size <= smallRing) this.checkOwners()
  }

  #checkSuccessors(position: Position): void {
    const { self, successors } = position.machine
    const { entries } = successors
    // Without successors it follows itself; whether it should is for checkRing to say. The last of a ring does so, too,
    // though its list still names the dead: until it has noticed that, also when somebody has joined it meanwhile. The
    // proof has nothing to say of that, since its rings are larger than a list.
    const isAlone = entries.length === 0 || successors === this.#listOfLast
    if (!isAlone && this.live.size > 1 && !entries.some(({ place }) => this.live.has(place)))
      this.#found('live successor', `${short(self.place)} has none: ${describe(position)}`)
  }

  #checkBase(position: Position): void {
    const { self, successors } = position.machine
    const places = [self.place, ...successors.entries.map(({ place }) => place)]
    if (successors.isWhole && places.length > 1) places.push(self.place)
    for (let index = 1; index < places.length; index++) {
      const skipped = this.#baseBetween(places[index - 1]!, places[index]!)
      if (skipped !== undefined) this.#found('base skipped', `${short(skipped)} by ${describe(position)}`)
    }
  }

  /** No two own a key: of two arcs that overlap, one holds the other's end, which is its position's own place. */
  checkOwners(): void {
    if (!this.isStrict) return
    const owners = [...this.live.keys()].filter((place) => this.live.get(place)!.owns(place)).sort()
    // An arc that goes back over any other's end goes over that of the last owner before it.
    for (const [index, place] of owners.entries()) {
      const before = owners.at(index - 1)!
      if (before !== place && this.live.get(place)!.owns(before)) this.checkOwner(before)
    }
  }

  #baseBetween(from: RingKey, to: RingKey): RingKey | undefined {
    const next = this.base.find((place) => place > from) ?? this.base[0]
    return next !== undefined && isBetween(from, next, to) ? next : undefined
  }

  /** Looks at each claim of a key; gives the list of each state. */
  #answered(from: string, question: Uint8Array, answer: Uint8Array, to: string): Letter | undefined {
    const peer = this.#world.peers.get(from)
    if (question[1] === 0) return this.#letterOf(peer?.node.positions[question[2]!], to)
    if (question[1] !== 1 || answer[1] !== 1) return undefined
    const key = Buffer.from(question.subarray(2, 22)).toString('hex') as RingKey
    if (peer?.node.isOwner(key) === false) this.#found('true claim', `${short(key)} by ${from}`)
    this.checkOwner(key)
    return undefined
  }

  /** What the answer will at least add to the list of whoever takes it in: whoever answered stands before its list, and may
   * push the last out; or, where that is whole, behind it. */
  #letterOf(position: Position | undefined, to: string): Letter | undefined {
    if (position === undefined) return undefined
    const { self, successors } = position.machine
    const { entries, isWhole } = successors
    const some = isWhole
      ? [...entries, self].slice(0, this.#successorsMax)
      : entries.slice(0, this.#successorsMax - 1)
    return { to, list: { entries: some, isWhole } }
  }

  #found(rule: string, detail: string): void {
    this.violation ??= { rule, detail, atMs: this.#world.simulation.nowMs }
  }
}

/** The ring in which following successors from there ends. */
function cycleFrom(followed: Map<RingKey, RingKey>, start: RingKey): RingKey[] {
  const seen = new Set<RingKey>()
  let place = start
  while (!seen.has(place)) {
    seen.add(place)
    place = followed.get(place)!
  }
  const path = [...seen]
  return path.slice(path.indexOf(place))
}

/** Does following successors from there end in the ring? Who is passed on the way is remembered, so that nobody is passed
 * twice, however many ask. */
function isLedTo(ring: Set<RingKey>, followed: Map<RingKey, RingKey>, start: RingKey): boolean {
  const path = new Set<RingKey>()
  let place = start
  while (!ring.has(place)) {
    if (path.has(place)) return false
    path.add(place)
    place = followed.get(place)!
  }
  for (const passed of path) ring.add(passed)
  return true
}

function short(place: string): string {
  return place.slice(0, 6)
}

export function describe({ machine }: Position): string {
  const { self, predecessor, successors } = machine
  const list = successors.entries.map(({ place }) => short(place)).join(' ')
  return `${short(predecessor.place)} < ${short(self.place)} > ${list}${successors.isWhole ? ' whole' : ''}`
}
