// Leased site: one that this peer crawls, wants to, or has to let go: how far it is, and who has what of it.
//
//   seeking → taking → ready → closing → gone
//
// `seeking`: we are not its lease holder yet. `taking`: we are, and bring its state here and to its members. `ready`: it is
// crawled. `closing`: it is another's, and what is under way ends.

import type { PeerId } from '../../platform/network.ts'
import { isAtLeast, type LogPosition, logStart } from './log-position.ts'
import type { SiteId } from './site-frontier.ts'
import type { Tenure } from './site-progress.ts'

export type Phase = 'seeking' | 'taking' | 'ready' | 'closing'

interface Waiting {
  readonly position: LogPosition
  resolve(): void
  reject(error: unknown): void
}

export class LeasedSite {
  readonly site: SiteId
  phase: Phase = 'seeking'
  members: readonly PeerId[] = []
  tenure: Tenure = { epoch: 0, since: 0, established: 0 }
  /** Who else may have something of it. */
  readonly hints = new Set<PeerId>()
  /** Somebody else is its lease holder, in this epoch. */
  supersededBy = 0
  /** Nothing can be added any more. */
  isSealed = false
  /** It went to another peer before all that was told was safe. */
  isLost = false
  /** Once most members have it up to here, the epoch is established. */
  establishing: LogPosition | undefined
  nextMs = 0
  failures = 0
  #ownDurable: LogPosition = logStart
  readonly #acked = new Map<PeerId, LogPosition>()
  #waiting: Waiting[] = []
  readonly #whenReady: Waiting[] = []

  constructor(site: SiteId) {
    this.site = site
  }

  /** It can be added to. */
  get isOpen(): boolean {
    return (this.phase === 'ready' || this.phase === 'closing') && !this.isSealed
  }

  get isSuperseded(): boolean {
    return this.supersededBy > this.tenure.epoch
  }

  acked(peer: PeerId, position: LogPosition): void {
    this.#acked.set(peer, position)
  }

  /** Our own disk has it. */
  kept(position: LogPosition): void {
    this.#ownDurable = position
  }

  has(peer: PeerId, self: PeerId, position: LogPosition): boolean {
    return isAtLeast(peer === self ? this.#ownDurable : this.#acked.get(peer), position)
  }

  /** Whether most members have it up to here, and all that answer. */
  isSafe(position: LogPosition, self: PeerId, isWaitedFor: (peer: PeerId) => boolean): boolean {
    const missing = this.members.filter((peer) => !this.has(peer, self, position))
    return 2 * missing.length < this.members.length && !missing.some(isWaitedFor)
  }

  isWithMajority(position: LogPosition, self: PeerId): boolean {
    return this.isSafe(position, self, () => false)
  }

  /** Resolves when `isSafe` of this log position: whoever changes what that depends on calls `look`. */
  untilSafe(position: LogPosition): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ position, resolve, reject }))
  }

  look(isSafe: (position: LogPosition) => boolean): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ position }) => !isSafe(position))
    for (const one of waiting) if (!this.#waiting.includes(one)) one.resolve()
  }

  untilReady(): Promise<void> {
    return new Promise((resolve, reject) => this.#whenReady.push({ position: logStart, resolve, reject }))
  }

  tellReady(): void {
    for (const { resolve } of this.#whenReady.splice(0)) resolve()
  }

  /** What was told does not become safe. */
  failWaits(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** Nothing that is waited for comes. */
  fail(error: unknown): void {
    this.failWaits(error)
    for (const { reject } of this.#whenReady.splice(0)) reject(error)
  }
}
