// What is done every so often beside stabilising: fingers are checked one by one, and those whom we lost are tried again,
// so that a partition heals.
//
// Invariants: at most one finger lookup and one merge of each position at a time; a position looks
// itself up at most once in `roundsPerMerge` rounds.

import { PolyhistorError } from '../../errors.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { jittered, type Random } from '../../platform/random.ts'
import type { Joining } from './joining.ts'
import type { Lookup } from './lookup/lookup.ts'
import type { RingClient } from './lookup/ring-client.ts'
import type { RoutingTable } from './lookup/routing-table.ts'
import type { Position } from './position.ts'
import type { RememberedPeers } from './remembered-peers.ts'
import type { KnownPeer } from './ring.ts'
import type { RingOptions } from './ring-options.ts'
import { nonceBytes } from './wire/questions.ts'

/** Until all fingers are there, they are looked up this much faster. */
const buildingSpeed = 50
/** Of so many rounds of merging, one goes through a peer that is not lost: rings can part without anybody dying. */
const roundsPerPresent = 20
/** Lost peers tried in each round; more when there is nobody else. */
const lostPerRound = 2
const lostPerRoundAlone = 8
/** Who was tried so often since it was last heard is most likely gone: such are tried in one of so many rounds only. Where peers come
 * and go, every position remembers some for ever, and trying them was most of what it did. */
const lostTriesMax = 64
const roundsPerGone = 32
/** A position looks itself up at most once in so many rounds of stabilising, however often others hint at it. */
const roundsPerMerge = 2
const jitter = 0.1

interface UpkeepNeeds {
  clock: Clock
  random: Random
  asking: RingClient
  remembered: RememberedPeers
  finding: Lookup
  entering: Joining
  positions: readonly Position[]
  routes: RoutingTable
}

export class Upkeep {
  readonly #needs: UpkeepNeeds
  readonly #options: RingOptions
  readonly #timers = new Map<string, Timer>()
  readonly #mergedMs = new Map<Position, number>()
  readonly #merging = new Set<Position>()
  /** A finger of theirs may be looked up just now. */
  readonly #forgotten = new WeakSet<Position>()
  #round = 0
  #isOver = false

  constructor(needs: UpkeepNeeds, options: RingOptions) {
    this.#needs = needs
    this.#options = options
  }

  start(): void {
    this.#after('merge', this.#options.mergeMs, () => this.#mergeRound())
    for (const position of this.#needs.positions) this.begin(position)
  }

  /** A position that came after the start. */
  begin(position: Position): void {
    this.#scheduleFinger(position)
  }

  /** A position that has left, while others of ours go on. */
  forget(position: Position): void {
    for (const name of [fingerName(position), unsureName(position)]) {
      this.#timers.get(name)?.cancel()
      this.#timers.delete(name)
    }
    this.#mergedMs.delete(position)
    this.#forgotten.add(position)
  }

  end(): void {
    this.#isOver = true
    for (const timer of this.#timers.values()) timer.cancel()
  }

  /** Somebody is heard of that was lost, or knows that a position of ours should stand elsewhere. */
  metAgain(peer: KnownPeer, position: Position | undefined): void {
    this.#needs.remembered.found(peer.peer)
    for (const own of position === undefined ? this.#needs.positions : [position]) void this.#merge(own, peer)
  }

  /** A position has lost its successor: does anybody know a closer one than it has now? */
  unsure(position: Position): void {
    const name = unsureName(position)
    if (this.#timers.has(name) || this.#forgotten.has(position)) return
    this.#after(name, 2 * this.#options.stabiliseMs, () => {
      this.#timers.delete(name)
      const present = this.#needs.remembered.somePresent()
      if (present !== undefined) void this.#merge(position, present)
    })
  }

  #mergeRound(): void {
    this.#after('merge', this.#options.mergeMs, () => this.#mergeRound())
    const { remembered, positions } = this.#needs
    const isAlone = positions.some(({ machine }) => machine.isAlone)
    const lost = new Map<PeerId, KnownPeer>()
    const triesMax = isAlone || this.#round % roundsPerGone === 0 ? undefined : lostTriesMax
    for (let count = 0; count < (isAlone ? lostPerRoundAlone : lostPerRound); count++) {
      const next = remembered.nextLost(triesMax)
      if (next !== undefined) lost.set(next.peer, next)
    }
    for (const peer of lost.values()) void this.#tryLost(peer)
    if (this.#round++ % roundsPerPresent !== 0) return
    const present = remembered.somePresent()
    if (present !== undefined) for (const position of positions) void this.#merge(position, present)
  }

  async #tryLost(lost: KnownPeer): Promise<void> {
    const { asking, random } = this.#needs
    try {
      const nonce = random.bytes(nonceBytes)
      await asking.askPeer(
        lost.peer,
        lost.addresses,
        { kind: 'ping', position: 0, nonce },
        { tries: 1, isAgain: true },
      )
      this.metAgain(lost, undefined)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  /** Merges if it is time; whoever is not on our ring afterwards, though we know all who are, is to be tried again. */
  async #merge(position: Position, through: KnownPeer): Promise<void> {
    await this.#tryMerge(position, through)
    const { predecessor, successors, status } = position.machine
    const isHere = [predecessor, ...successors.entries].some(({ peer }) => peer === through.peer)
    if (status === 'member' && successors.isWhole && !isHere) this.#needs.remembered.notHere(through.peer)
  }

  async #tryMerge(position: Position, through: KnownPeer): Promise<void> {
    const nowMs = this.#needs.clock.monotonicMs()
    const lastMs = this.#mergedMs.get(position) ?? Number.NEGATIVE_INFINITY
    if (this.#isOver || this.#merging.has(position) || position.machine.status !== 'member') return
    if (nowMs - lastMs < roundsPerMerge * this.#options.stabiliseMs) return
    this.#mergedMs.set(position, nowMs)
    this.#merging.add(position)
    try {
      await this.#needs.entering.merge(position, through)
    } finally {
      this.#merging.delete(position)
    }
  }

  #scheduleFinger(position: Position): void {
    if (this.#forgotten.has(position)) return
    const { fingerMs } = this.#options
    const delayMs = position.fingers.isBuilt ? fingerMs : fingerMs / buildingSpeed
    this.#after(fingerName(position), delayMs, () => void this.#checkFinger(position))
  }

  async #checkFinger(position: Position): Promise<void> {
    const { machine, fingers } = position
    const finger = machine.status === 'member' ? fingers.next(machine.successors) : undefined
    try {
      if (finger !== undefined) {
        // Who stands there will do, whether or not it owns anything yet.
        const wanted = { successorsMax: 0, isEntry: true }
        const { owner } = await this.#needs.finding.find(finger.target, wanted)
        fingers.set(finger.power, owner)
      }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
    this.#scheduleFinger(position)
  }

  #after(name: string, delayMs: number, task: () => void): void {
    if (this.#isOver) return
    this.#timers.set(name, this.#needs.clock.after(jittered(delayMs, jitter, this.#needs.random), task))
  }
}

function fingerName({ machine }: Position): string {
  return `finger ${machine.self.index}`
}

function unsureName({ machine }: Position): string {
  return `unsure ${machine.self.index}`
}
