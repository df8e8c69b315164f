// Withdrawal: takes a site from a steward that keeps renewing its grants although the ring gives the site to another peer,
// which asks for it. An honest steward lays such a site down by itself.
//
// Invariant: the steward counts on our grant for `grantMs` after its last renewal, so that long it is still bound to. From the
// moment of withdrawal on no renewal counts for the site.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { SiteId, StewardTerms } from './stewardship.ts'

export interface WithdrawalNeeds {
  readonly clock: Clock
  /** Whom the ring gives the site, as far as this peer sees. */
  ownerOf(site: SiteId): PeerId | undefined
  /** What the steward was told before does not count any more: it has to ask anew. */
  endSession(steward: PeerId): void
}

interface Contest {
  /** Whatever epoch it makes of it. */
  readonly steward: PeerId
  readonly claimant: PeerId
  readonly sinceMs: number
  lastMs: number
  /** From then on we are not bound; undefined while the steward may still lay it down. */
  endMs: number | undefined
}

const contestsMax = 10_000
/** An honest steward ends what is under way in this time, unless a page is very slow. */
const layDownMs = 120_000
/** Claimants come again sooner than this. */
const pauseMsMax = 30_000

export class Withdrawal {
  readonly #needs: WithdrawalNeeds
  readonly #grantMs: number
  readonly #contests = new Map<SiteId, Contest>()

  constructor(needs: WithdrawalNeeds, { grantMs }: Pick<StewardTerms, 'grantMs'>) {
    this.#needs = needs
    this.#grantMs = grantMs
  }

  /** Somebody wants the site while we are bound to its steward. */
  contest(site: SiteId, steward: PeerId, claimant: PeerId): void {
    if (this.#needs.ownerOf(site) !== claimant) return
    const nowMs = this.#needs.clock.monotonicMs()
    const contest = this.#of(site, steward, claimant, nowMs)
    contest.lastMs = nowMs
    if (contest.endMs !== undefined || nowMs - contest.sinceMs < layDownMs) return
    contest.endMs = nowMs + this.#grantMs
    this.#needs.endSession(steward)
  }

  /** When we are no longer bound to the site's steward; undefined: as long as its grants run. */
  endMs(site: SiteId, steward: PeerId): number | undefined {
    const contest = this.#contests.get(site)
    if (contest?.endMs === undefined) return undefined
    if (contest.steward === steward && this.#needs.ownerOf(site) === contest.claimant) return contest.endMs
    this.#contests.delete(site)
    return undefined
  }

  #of(site: SiteId, steward: PeerId, claimant: PeerId, nowMs: number): Contest {
    const known = this.#contests.get(site)
    const goesOn = known?.steward === steward && known.claimant === claimant
    if (goesOn && (known.endMs !== undefined || nowMs - known.lastMs < pauseMsMax)) return known
    const contest = { steward, claimant, sinceMs: nowMs, lastMs: nowMs, endMs: undefined }
    this.#contests.delete(site)
    if (this.#contests.size >= contestsMax) this.#contests.delete(this.#contests.keys().next().value!)
    this.#contests.set(site, contest)
    return contest
  }
}
