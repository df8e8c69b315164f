// Received sites: sites of other owners that we crawl, as one of their members, because their owner asks us to.
//
// Invariants: only the peer whom the ring names as owner can ask; and we stop when it takes the site back, or has not asked for
// long. Bounded: beyond `sitesMax`, and `ofOwnerMax` of one owner, we are not willing.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { PlacementTerms } from './placement-terms.ts'
import type { Entrusted, LeadAnswer } from './wire/questions.ts'

export interface ReceivedSitesNeeds {
  readonly self: PeerId
  readonly clock: Clock
  isOwner(site: RingKey): boolean
  /** Looks the site up on the ring. */
  ownerOf(site: RingKey): Promise<{ readonly peer: PeerId; readonly upTo: RingKey }>
  isMember(peer: PeerId): boolean
  /** It is crawled here now. */
  isLed(site: RingKey): boolean
  /** Takes it over. */
  open(site: RingKey): void
  /** Whether we are to crawl it may have changed. */
  onChange(): void
}

interface Received {
  readonly owner: PeerId
  readonly members: readonly PeerId[]
  readonly untilMs: number
  /** Until when the owner need not be looked up again. */
  readonly checkedUntilMs: number
}

const sitesMax = 20_000
const ofOwnerMax = 5_000

export class ReceivedSites {
  readonly #needs: ReceivedSitesNeeds
  readonly #terms: PlacementTerms
  readonly #received = new Map<RingKey, Received>()
  #isClosed = false

  constructor(needs: ReceivedSitesNeeds, terms: PlacementTerms) {
    this.#needs = needs
    this.#terms = terms
  }

  get size(): number {
    return this.#received.size
  }

  has(site: RingKey): boolean {
    return this.#current(site) !== undefined
  }

  /** The members that its owner named, ourselves first. */
  membersOf(site: RingKey): readonly PeerId[] | undefined {
    const received = this.#current(site)
    const { self } = this.#needs
    return received && [self, ...received.members.filter((peer) => peer !== self)]
  }

  /** From now on we are not willing. */
  close(): void {
    this.#isClosed = true
  }

  async lead(from: PeerId, sites: readonly Entrusted[]): Promise<LeadAnswer[]> {
    const owned = await this.#ownedBy(
      from,
      sites.map(({ site }) => site),
    )
    let isChanged = false
    let room = this.#roomFor(from)
    const answers = sites.map((entrusted) => {
      const isKnown = this.#received.has(entrusted.site)
      if (!owned.has(entrusted.site) || !this.#isWilling(from, entrusted)) return 'no'
      if (!isKnown && room-- <= 0) return 'no'
      if (this.#take(from, entrusted)) isChanged = true
      return this.#needs.isLed(entrusted.site) ? 'leading' : 'coming'
    })
    if (isChanged) this.#needs.onChange()
    return answers
  }

  back(from: PeerId, sites: readonly RingKey[]): void {
    const own = sites.filter((site) => this.#received.get(site)?.owner === from)
    for (const site of own) this.#received.delete(site)
    if (own.length > 0) this.#needs.onChange()
  }

  /** Forgets those whose owners have not asked for long. */
  expire(): void {
    const nowMs = this.#needs.clock.monotonicMs()
    const over = [...this.#received].filter(([, { untilMs }]) => untilMs <= nowMs)
    for (const [site] of over) this.#received.delete(site)
    if (over.length > 0) this.#needs.onChange()
  }

  #current(site: RingKey): Received | undefined {
    const received = this.#received.get(site)
    return received !== undefined && received.untilMs > this.#needs.clock.monotonicMs() ? received : undefined
  }

  #isWilling(from: PeerId, { site, members }: Entrusted): boolean {
    const { self, isOwner, isMember } = this.#needs
    if (this.#isClosed || isOwner(site)) return false
    if (!members.includes(self) || !members.includes(from)) return false
    return members.every((peer) => peer === self || isMember(peer))
  }

  /** How many more of this owner's sites we are willing to crawl. */
  #roomFor(from: PeerId): number {
    let ofOwner = 0
    for (const { owner } of this.#received.values()) if (owner === from) ofOwner++
    return Math.min(sitesMax - this.#received.size, ofOwnerMax - ofOwner)
  }

  /** True when it was not ours before. */
  #take(from: PeerId, { site, members }: Entrusted): boolean {
    const nowMs = this.#needs.clock.monotonicMs()
    const { heldMs, checkedMs } = this.#terms
    const known = this.#received.get(site)
    const isChecked = known?.owner === from && known.checkedUntilMs > nowMs
    this.#received.set(site, {
      owner: from,
      members,
      untilMs: nowMs + heldMs,
      checkedUntilMs: isChecked ? known.checkedUntilMs : nowMs + checkedMs,
    })
    this.#needs.open(site)
    return known === undefined
  }

  /** Those of the sites that the ring gives to this peer. In the order of the ring, so that it is asked once for each arc. */
  async #ownedBy(peer: PeerId, sites: readonly RingKey[]): Promise<Set<RingKey>> {
    const nowMs = this.#needs.clock.monotonicMs()
    const owned = new Set<RingKey>()
    let arc: { from: RingKey; peer: PeerId; upTo: RingKey } | undefined
    for (const site of sites.toSorted()) {
      const known = this.#received.get(site)
      if (known?.owner === peer && known.checkedUntilMs > nowMs) {
        owned.add(site)
        continue
      }
      const isInArc = arc !== undefined && (site <= arc.upTo || arc.upTo < arc.from)
      if (!isInArc) arc = await this.#arcFrom(site)
      if (arc?.peer === peer) owned.add(site)
    }
    return owned
  }

  async #arcFrom(site: RingKey): Promise<{ from: RingKey; peer: PeerId; upTo: RingKey } | undefined> {
    try {
      return { from: site, ...(await this.#needs.ownerOf(site)) }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }
}
