// Promise turns: an attempt is not outbid before it had the time to finish, and between two turns of one peer the others get
// theirs. Without this, one peer that keeps bidding could block a decision for ever.
//
// In memory only, and not needed for safety: refusing a promise is always allowed.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { LeaseTerms, SiteId } from './lease.ts'

interface Turn {
  readonly epoch: number
  readonly peer: PeerId
  readonly sinceMs: number
  /** Another peer was refused because of it. */
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

  /** Whether this peer's attempt at the epoch after `epoch` may be answered now. */
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
