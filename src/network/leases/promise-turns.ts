// Promise turns: nobody's attempt is outbid by another's before it had the time to finish, and between two turns of one peer
// others have their chance. Otherwise one peer that only ever bids would keep a site from being decided.
//
// Not written down, and not needed for safety: to refuse a promise is always allowed.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { LeaseTerms, SiteId } from './lease.ts'

interface Turn {
  readonly epoch: number
  readonly peer: PeerId
  readonly sinceMs: number
  /** Somebody else was turned away for it. */
  isContested: boolean
}

const turnsMax = 10_000

export class PromiseTurns {
  readonly #clock: Clock
  readonly #turnMs: number
  readonly #turns = new Map<SiteId, Turn>()

  constructor(needs: { clock: Clock }, { answerMs }: Pick<LeaseTerms, 'answerMs'>) {
    this.#clock = needs.clock
    this.#turnMs = 2 * answerMs
  }

  /** Whether this peer's attempt after `epoch` may be listened to now. */
  take(site: SiteId, epoch: number, peer: PeerId): boolean {
    const nowMs = this.#clock.monotonicMs()
    const turn = this.#turns.get(site)
    if (turn?.epoch !== epoch) return this.#begin(site, epoch, peer, nowMs)
    const lastedMs = nowMs - turn.sinceMs
    if (turn.peer === peer && (lastedMs < this.#turnMs || !turn.isContested)) return true
    const isFree = lastedMs >= (turn.peer === peer ? 2 * this.#turnMs : this.#turnMs)
    if (isFree) return this.#begin(site, epoch, peer, nowMs)
    this.contest(site, epoch, peer)
    return false
  }

  /** This peer was outbid, and will try again. */
  contest(site: SiteId, epoch: number, peer: PeerId): void {
    const turn = this.#turns.get(site)
    if (turn?.epoch === epoch && turn.peer !== peer) turn.isContested = true
  }

  #begin(site: SiteId, epoch: number, peer: PeerId, sinceMs: number): true {
    this.#turns.delete(site)
    if (this.#turns.size >= turnsMax) this.#turns.delete(this.#turns.keys().next().value!)
    this.#turns.set(site, { epoch, peer, sinceMs, isContested: false })
    return true
  }
}
