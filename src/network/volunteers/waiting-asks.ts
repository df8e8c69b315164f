// Volunteers that wait for work: their questions lie here until there is some, or their patience is over.
//
// Invariants: one question of each volunteer, the next one ends the last; at most waitingMax in all. Who needs a volunteer for work that
// is overdue, or to look at another's, comes before new work.

import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { WireBundle } from './volunteer-messages.ts'

export interface WaitingVolunteer {
  readonly peer: PeerId
  /** Of the network that it is in: see networkPrefixOf. */
  readonly prefix: string
}

/** A place for one bundle in the answer to a volunteer. Used once: given a bundle, or given back. */
export interface AskedPlace extends WaitingVolunteer {
  give(bundle: WireBundle): void
  giveBack(): void
}

type IsFit = (volunteer: WaitingVolunteer) => boolean
type CostMsOf = (volunteer: WaitingVolunteer) => number

interface Waiter {
  readonly isFit: IsFit
  resolve(place: AskedPlace | undefined): void
}

/** Bundles that are ready within so long go out together. */
const togetherMs = 10
const waitingMax = 4_096
const waitersMax = 4_096
/** Those that wait for longest are compared, not all. */
const comparedMax = 64
/** What differs less is the same. */
const sameShare = 0.1
const sameMs = 5

class Ask implements WaitingVolunteer {
  readonly peer: PeerId
  readonly prefix: string
  readonly bundles: WireBundle[] = []
  readonly #answer: (bundles: WireBundle[]) => void
  readonly #clock: Clock
  free: number
  #reserved = 0
  #isOver = false
  #isLate = false
  readonly #patience: Timer
  #together: Timer | undefined

  constructor(
    needs: { clock: Clock },
    { peer, prefix, free, patienceMs }: WaitingVolunteer & { free: number; patienceMs: number },
    answer: (bundles: WireBundle[]) => void,
  ) {
    this.#clock = needs.clock
    this.peer = peer
    this.prefix = prefix
    this.free = free
    this.#answer = answer
    this.#patience = needs.clock.after(patienceMs, () => {
      this.#isLate = true
      this.#settle()
    })
  }

  get isOpen(): boolean {
    return !this.#isOver && !this.#isLate && this.free > 0
  }

  reserve(): AskedPlace {
    this.free--
    this.#reserved++
    let isUsed = false
    const use = (bundle: WireBundle | undefined): void => {
      if (isUsed) return
      isUsed = true
      this.#reserved--
      if (bundle !== undefined) this.bundles.push(bundle)
      else this.free++
      this.#settle()
    }
    return { peer: this.peer, prefix: this.prefix, give: use, giveBack: () => use(undefined) }
  }

  end(): void {
    this.#isLate = true
    this.#settle()
  }

  #settle(): void {
    if (this.#isOver || this.#reserved > 0) return
    if (this.bundles.length > 0 && !this.#isLate && this.free > 0) {
      this.#together ??= this.#clock.after(togetherMs, () => {
        this.#isLate = true
        this.#settle()
      })
      return
    }
    if (this.bundles.length === 0 && !this.#isLate) return
    this.#isOver = true
    this.#patience.cancel()
    this.#together?.cancel()
    this.#answer(this.bundles)
  }
}

export class WaitingAsks {
  readonly #clock: Clock
  readonly #asks = new Map<PeerId, Ask>()
  readonly #waiters: Waiter[] = []

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
  }

  get size(): number {
    return this.#asks.size
  }

  /** Whether so many of these wait. */
  has(count: number, isFit: IsFit): boolean {
    let found = 0
    for (const ask of this.#asks.values()) if (ask.isOpen && isFit(ask) && ++found >= count) return true
    return false
  }

  /** Resolves with bundles, or with none when its patience is over. */
  wait(
    asker: WaitingVolunteer & { free: number; patienceMs: number },
    signal: AbortSignal,
  ): Promise<WireBundle[]> {
    this.#asks.get(asker.peer)?.end()
    if (this.#asks.size >= waitingMax) return Promise.resolve([])
    return new Promise((resolve) => {
      const ask = new Ask({ clock: this.#clock }, asker, (bundles) => {
        if (this.#asks.get(asker.peer) === ask) this.#asks.delete(asker.peer)
        signal.removeEventListener('abort', leave)
        resolve(bundles)
      })
      const leave = () => ask.end()
      this.#asks.set(asker.peer, ask)
      signal.addEventListener('abort', leave, { once: true })
      this.#serveWaiters(ask)
    })
  }

  /** A volunteer that waits now: the one that costs least, and of those that cost about the same the one that waits for longest. */
  take(isFit: IsFit, costMsOf: CostMsOf): AskedPlace | undefined {
    const found: { ask: Ask; costMs: number }[] = []
    for (const ask of this.#asks.values()) {
      if (!ask.isOpen || !isFit(ask)) continue
      found.push({ ask, costMs: costMsOf(ask) })
      if (found.length === comparedMax) break
    }
    const leastMs = found.reduce((least, { costMs }) => Math.min(least, costMs), Number.POSITIVE_INFINITY)
    return found.find(({ costMs }) => costMs <= leastMs * (1 + sameShare) + sameMs)?.ask.reserve()
  }

  /** The same, or the next that comes within `waitMs`. */
  async next(isFit: IsFit, costMsOf: CostMsOf, waitMs: number): Promise<AskedPlace | undefined> {
    const now = this.take(isFit, costMsOf)
    if (now !== undefined || waitMs <= 0 || this.#waiters.length >= waitersMax) return now
    return new Promise((resolve) => {
      const timer = this.#clock.after(waitMs, () => waiter.resolve(undefined))
      const waiter: Waiter = {
        isFit,
        resolve: (place) => {
          timer.cancel()
          const at = this.#waiters.indexOf(waiter)
          if (at >= 0) this.#waiters.splice(at, 1)
          resolve(place)
        },
      }
      this.#waiters.push(waiter)
    })
  }

  /** Everybody is sent away. */
  close(): void {
    for (const waiter of [...this.#waiters]) waiter.resolve(undefined)
    for (const ask of [...this.#asks.values()]) ask.end()
  }

  #serveWaiters(ask: Ask): void {
    for (const waiter of [...this.#waiters]) {
      if (!ask.isOpen) return
      if (waiter.isFit(ask)) waiter.resolve(ask.reserve())
    }
  }
}
