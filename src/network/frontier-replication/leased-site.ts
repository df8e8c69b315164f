// Leased site: a site that this peer crawls, wants to crawl, or has to give up: its phase, and which member has which log
// position.
//
//   seeking → taking → ready → closing → gone
//
// `seeking`: we do not hold the lease yet. `taking`: we do, and bring its state here and to its members. `ready`: it is crawled.
// `closing`: another peer has it, and requests under way are finished.

import type { PeerId } from '../../platform/network/network.ts'
import { isAtLeast, type LogPosition, logStart } from './log-position.ts'
import type { SiteId } from './site-frontier.ts'
import type { Tenure } from './site-progress.ts'

type Phase = 'seeking' | 'taking' | 'ready' | 'closing'

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
  /** Other peers that may have a copy of it. */
  readonly hints = new Set<PeerId>()
  /** Somebody else is its lease holder, in this epoch. */
  supersededBy = 0
  /** Nothing can be added any more. */
  isSealed = false
  /** It went to another peer before all changes were safe. */
  isLost = false
  /** The epoch is established once a majority of the members has it up to here. */
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

  noteAck(peer: PeerId, position: LogPosition): void {
    this.#acked.set(peer, position)
  }

  /** Our own disk has it. */
  noteKept(position: LogPosition): void {
    this.#ownDurable = position
  }

  has(peer: PeerId, self: PeerId, position: LogPosition): boolean {
    return isAtLeast(peer === self ? this.#ownDurable : this.#acked.get(peer), position)
  }

  /** Whether a majority of the members and all that answer have it up to here. */
  isSafe(position: LogPosition, self: PeerId, isWaitedFor: (peer: PeerId) => boolean): boolean {
    const missing = this.members.filter((peer) => !this.has(peer, self, position))
    return 2 * missing.length < this.members.length && !missing.some(isWaitedFor)
  }

  isWithMajority(position: LogPosition, self: PeerId): boolean {
    return this.isSafe(position, self, () => false)
  }

  /** Resolves when this log position `isSafe`; `resolveSafe` must be called after every change of what that depends on. */
  waitUntilSafe(position: LogPosition): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ position, resolve, reject }))
  }

  resolveSafe(isSafe: (position: LogPosition) => boolean): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ position }) => !isSafe(position))
    for (const one of waiting) if (!this.#waiting.includes(one)) one.resolve()
  }

  waitUntilReady(): Promise<void> {
    return new Promise((resolve, reject) => this.#whenReady.push({ position: logStart, resolve, reject }))
  }

  resolveReady(): void {
    for (const { resolve } of this.#whenReady.splice(0)) resolve()
  }

  /** Rejects those that wait for changes to become safe. */
  failWaits(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** Rejects all waits. */
  fail(error: unknown): void {
    this.failWaits(error)
    for (const { reject } of this.#whenReady.splice(0)) reject(error)
  }
}
