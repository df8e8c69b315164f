// Withdrawal: ends the lease of a holder that keeps renewing it although the ring gives the site to another peer, which asks for
// it. An honest lease holder releases such a site by itself.
//
// Invariant: the holder relies on our grant for `leaseMs` after its last renewal, so we stay bound that long. After the
// withdrawal no renewal counts for the site.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { LeaseTerms, SiteId } from './lease.ts'

interface WithdrawalNeeds {
  readonly clock: Clock
  /** Whom the ring gives the site, as far as this peer sees. */
  ownerOf(site: SiteId): PeerId | undefined
  /** Ends the holder's session: what it was told before does not count any more. */
  endSession(holder: PeerId): void
}

interface Contest {
  /** Whatever epoch it makes of it. */
  readonly holder: PeerId
  readonly claimant: PeerId
  readonly sinceMs: number
  lastMs: number
  /** When we stop being bound; undefined while the holder may still release it. */
  endMs: number | undefined
}

const contestsMax = 10_000
/** Within this time an honest holder finishes its requests and releases the site, unless a page is very slow. */
const layDownMs = 120_000
/** A claimant that does not retry within this has given up. */
const pauseMsMax = 30_000

export class Withdrawal {
  readonly #needs: WithdrawalNeeds
  readonly #leaseMs: number
  readonly #contests = new Map<SiteId, Contest>()

  constructor(needs: WithdrawalNeeds, { leaseMs }: Pick<LeaseTerms, 'leaseMs'>) {
    this.#needs = needs
    this.#leaseMs = leaseMs
  }

  /** Another peer wants the site while we are bound to its lease holder. */
  contest(site: SiteId, holder: PeerId, claimant: PeerId): void {
    if (this.#needs.ownerOf(site) !== claimant) return
    const nowMs = this.#needs.clock.monotonicMs()
    const contest = this.#of(site, holder, claimant, nowMs)
    contest.lastMs = nowMs
    if (contest.endMs !== undefined || nowMs - contest.sinceMs < layDownMs) return
    contest.endMs = nowMs + this.#leaseMs
    this.#needs.endSession(holder)
  }

  /** When we are no longer bound to the site's lease holder; undefined: as long as its grants run. */
  endMs(site: SiteId, holder: PeerId): number | undefined {
    const contest = this.#contests.get(site)
    if (contest?.endMs === undefined) return undefined
    if (contest.holder === holder && this.#needs.ownerOf(site) === contest.claimant) return contest.endMs
    this.#contests.delete(site)
    return undefined
  }

  #of(site: SiteId, holder: PeerId, claimant: PeerId, nowMs: number): Contest {
    const known = this.#contests.get(site)
    const goesOn = known?.holder === holder && known.claimant === claimant
    if (goesOn && (known.endMs !== undefined || nowMs - known.lastMs < pauseMsMax)) return known
    const contest = { holder, claimant, sinceMs: nowMs, lastMs: nowMs, endMs: undefined }
    this.#contests.delete(site)
    if (this.#contests.size >= contestsMax) this.#contests.delete(this.#contests.keys().next().value!)
    this.#contests.set(site, contest)
    return contest
  }
}
