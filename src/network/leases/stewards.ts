// Stewards: asks to be steward of the sites that the ring gives us, stays it, and lays it down; and is a member for others.
//
//   stewards.seek(site)             we own it by the ring, and have something to do there
//   if (stewards.may(site)) fetch   asked before every request: it may end at any moment
//   await stewards.layDown(site)    once nothing is under way any more
//
// What it leaves to others: who owns what (the ring), what is done with a site, and how peers are reached.

import { PolyhistorError } from '../../errors.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Random } from '../../platform/random.ts'
import { Claiming, type ClaimOutcome } from './claiming.ts'
import { MemberDesk } from './member-desk.ts'
import { Partner } from './partner.ts'
import {
  isMajority,
  isSameSet,
  type SiteId,
  type Stewardship,
  type StewardTerms,
  stewardTermsDefault,
} from './stewardship.ts'
import type { StewardshipBook } from './stewardship-book.ts'
import { readQuestion, writeQuestion } from './wire/questions.ts'

export interface StewardsNeeds {
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  readonly book: StewardshipBook
  /** Asks another peer's stewards. Rejects with a PolyhistorError when it does not answer. */
  ask(peer: PeerId, question: Uint8Array, options: { deadlineMs: number }): Promise<Uint8Array>
  /** Who keeps the site's copies by the ring, ourselves first; undefined when it is not ours. */
  replicaSet(site: SiteId): readonly PeerId[] | undefined
  isGone(peer: PeerId): boolean
  /** The same if everybody who is not gone for good were there, whoever owns it. */
  fullSet(site: SiteId): readonly PeerId[]
  /** What was done with the site before this epoch is known to be with a majority of its members; never, unless told. */
  isEstablished?(site: SiteId, epoch: number): boolean
  /** The site may be crawled here from now on, or not any more. Grants may also end without a call. */
  changed?(site: SiteId): void
}

interface Sought {
  held: Stewardship | undefined
  /** What may have been decided after that, without our having heard of it: also ours. */
  ventured: Stewardship[]
  isClaiming: boolean
  nextMs: number
  failures: number
}

const claimsMax = 256
/** Attempts whose outcome is not known; with more, we wait until one is. */
const venturedMax = 8
/** Counted for the pause between attempts. */
const failuresMax = 10
const nothing = new Uint8Array()

export class Stewards {
  readonly #needs: StewardsNeeds
  readonly #terms: StewardTerms
  readonly #desk: MemberDesk
  readonly #claiming: Claiming
  readonly #partners = new Map<PeerId, Partner>()
  readonly #sought = new Map<SiteId, Sought>()
  #claims = 0
  #timers: Timer[] = []
  #isClosed = false

  constructor(needs: StewardsNeeds, terms: Partial<StewardTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...stewardTermsDefault, ...terms }
    this.#desk = new MemberDesk(needs, this.#terms)
    this.#claiming = new Claiming({
      self: needs.self,
      partner: (peer) => this.#partner(peer),
      isGone: (peer) => needs.isGone(peer),
      fullSet: (site) => needs.fullSet(site),
      isEstablished: (site, epoch) => needs.isEstablished?.(site, epoch) ?? false,
    })
  }

  start(): void {
    this.#every(this.#terms.renewMs, () => this.#renewAll())
    this.#every(this.#terms.retryMs, () => this.#claimDue())
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) timer.cancel()
  }

  /** Questions of others, as members and as stewards. */
  async answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const question = readQuestion(bytes)
    if (question.kind !== 'yield') return this.#desk.answer(from, question)
    const unwanted = question.sites.filter(({ site }) => !this.#sought.has(site))
    await Promise.all(unwanted.map(({ site, stewardship }) => this.#claiming.layDown(site, stewardship)))
    return nothing
  }

  seek(site: SiteId): void {
    if (this.#sought.has(site)) return
    this.#sought.set(site, { held: undefined, ventured: [], isClaiming: false, nextMs: 0, failures: 0 })
    this.#claimDue()
  }

  /** True: no other peer may crawl the site now, nor for so much longer. */
  may(site: SiteId, forMs = 0): boolean {
    const sought = this.#sought.get(site)
    if (sought?.held === undefined) return false
    return (
      this.#isGranted(site, sought.held, forMs) &&
      sought.ventured.every((other) => this.#isGranted(site, other, forMs))
    )
  }

  #isGranted(site: SiteId, { members }: Stewardship, forMs: number): boolean {
    let grants = 0
    for (const peer of members) if (this.#partners.get(peer)?.grants(site, forMs)) grants++
    return isMajority(grants, members)
  }

  /** What we hold, granted or not. */
  held(site: SiteId): Stewardship | undefined {
    return this.#sought.get(site)?.held
  }

  /** What we hold is known to be over: a later epoch was heard of. It may be ours, by an attempt of which we thought that it had
   * failed and which somebody else finished; then members go on granting us the site. */
  claimAnew(site: SiteId): void {
    const sought = this.#sought.get(site)
    if (sought === undefined) return
    sought.held = undefined
    sought.ventured = []
    this.#claimDue()
  }

  isSought(site: SiteId): boolean {
    return this.#sought.has(site)
  }

  /** From this call on we may not; others may once it resolves, or soon. */
  async layDown(site: SiteId): Promise<void> {
    const held = this.#sought.get(site)?.held
    this.#sought.delete(site)
    if (held === undefined) return
    await this.#claiming.layDown(site, held)
  }

  #claimDue(): void {
    const nowMs = this.#needs.clock.monotonicMs()
    for (const [site, sought] of this.#sought) {
      if (this.#claims >= claimsMax) return
      if (sought.isClaiming || sought.nextMs > nowMs || this.#isSettled(site, sought)) continue
      void this.#claim(site, sought)
    }
  }

  #isSettled(site: SiteId, { held }: Sought): boolean {
    const wished = this.#needs.replicaSet(site)
    // Not ours any more: to be laid down by whoever sought it.
    if (wished === undefined) return true
    return held !== undefined && isSameSet(wished, held.members) && this.may(site)
  }

  async #claim(site: SiteId, sought: Sought): Promise<void> {
    const wished = this.#needs.replicaSet(site)
    if (wished === undefined) return
    sought.isClaiming = true
    this.#claims++
    try {
      const known = this.#needs.book.get(site).decided
      await this.#settle(
        site,
        sought,
        await this.#claiming.claim(site, wished, known, (wish) => this.#venture(sought, wish)),
      )
    } finally {
      sought.isClaiming = false
      this.#claims--
    }
  }

  /** From now on another stewardship may be in force. If it is ours too, its members must grant it as well; if it is not, we
   * must not wait to be told. */
  #venture(sought: Sought, wish: Stewardship): void {
    if (wish.steward !== this.#needs.self) sought.held = undefined
    else if (sought.held !== undefined) sought.ventured.push(wish)
    if (sought.ventured.length > venturedMax) sought.held = undefined
  }

  async #settle(site: SiteId, sought: Sought, outcome: ClaimOutcome): Promise<void> {
    if (outcome.kind === 'refused') {
      this.#putOff(sought, outcome.leftMs)
      await Promise.all(outcome.bound.map((stewardship) => this.#askToYield(site, stewardship)))
      return
    }
    const { stewardship } = outcome
    const isOurs = stewardship.steward === this.#needs.self
    if (this.#sought.get(site) !== sought) {
      // It was laid down meanwhile.
      if (isOurs) await this.#claiming.layDown(site, stewardship)
      return
    }
    sought.held = isOurs ? stewardship : undefined
    sought.ventured = []
    sought.failures = 0
    if (isOurs) {
      sought.nextMs = this.#needs.clock.monotonicMs() + 2 * this.#terms.renewMs
      await Promise.all(stewardship.members.map((peer) => this.#renew(peer)))
    }
    this.#needs.changed?.(site)
  }

  #putOff(sought: Sought, leftMs = Number.POSITIVE_INFINITY): void {
    const { clock, random } = this.#needs
    sought.failures = Math.min(failuresMax, sought.failures + 1)
    const pauseMs = this.#terms.retryMs * sought.failures * (0.5 + random.fraction())
    sought.nextMs = clock.monotonicMs() + Math.min(pauseMs, leftMs)
  }

  async #askToYield(site: SiteId, stewardship: Stewardship): Promise<void> {
    try {
      const question = writeQuestion({ kind: 'yield', sites: [{ site, stewardship }] })
      await this.#ask(stewardship.steward, question)
    } catch (error) {
      // It is silent: its grants end by themselves.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #renewAll(): void {
    const peers = new Set<PeerId>()
    for (const sought of this.#sought.values()) for (const peer of membersOf(sought)) peers.add(peer)
    for (const peer of this.#partners.keys()) if (!peers.has(peer)) this.#partners.delete(peer)
    for (const peer of peers) void this.#renew(peer)
  }

  async #renew(peer: PeerId): Promise<void> {
    try {
      await this.#partner(peer).renew(() => this.#sitesWith(peer))
    } catch (error) {
      // Its grant ends if this goes on.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #sitesWith(peer: PeerId): SiteId[] {
    const sites: SiteId[] = []
    for (const [site, sought] of this.#sought) if (membersOf(sought).includes(peer)) sites.push(site)
    return sites
  }

  #partner(peer: PeerId): Partner {
    let partner = this.#partners.get(peer)
    if (partner === undefined) {
      const ask = (question: Uint8Array) => this.#ask(peer, question)
      partner = new Partner({ clock: this.#needs.clock, ask }, this.#terms)
      this.#partners.set(peer, partner)
    }
    return partner
  }

  /** We are a member like others: what we granted ourselves ends too, when this process was stopped for long. */
  #ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array> {
    if (peer === this.#needs.self) return this.answer(peer, question)
    return this.#needs.ask(peer, question, { deadlineMs: this.#terms.answerMs })
  }

  #every(periodMs: number, task: () => void): void {
    const { clock, random } = this.#needs
    const again = (): void => {
      if (this.#isClosed) return
      task()
      this.#timers = this.#timers.filter((other) => other !== timer)
      timer = clock.after(periodMs * (0.8 + 0.4 * random.fraction()), again)
      this.#timers.push(timer)
    }
    let timer = clock.after(0, again)
    this.#timers.push(timer)
  }
}

function membersOf({ held, ventured }: Sought): PeerId[] {
  if (held === undefined) return []
  return [held, ...ventured].flatMap(({ members }) => members)
}
