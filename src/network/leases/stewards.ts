// Stewards: asks to be steward of the sites that the ring gives us, stays it, and lays it down; and is a member for others.
//
//   stewards.seek(site)             we own it by the ring, and have something to do there
//   if (stewards.may(site)) fetch   asked before every request: it may end at any moment
//   await stewards.layDown(site)    once nothing is under way any more
//
// What it leaves to others: who owns what (the ring), what is done with a site, and how peers are reached.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { jittered, type Random } from '../../platform/random.ts'
import { Claiming, type ClaimOutcome } from './claiming.ts'
import { MemberDesk } from './member-desk.ts'
import { Partner } from './partner.ts'
import {
  epochOf,
  isMajority,
  isSameSet,
  type SiteId,
  type Stewardship,
  type StewardTerms,
  stewardTermsDefault,
  union,
} from './stewardship.ts'
import type { StewardshipBook } from './stewardship-book.ts'
import { Verification } from './verification.ts'
import { memberQuestion } from './wire/questions.ts'

/** What a peer that says it is steward in an epoch is: `unsure` passes. */
export type Standing = 'steward' | 'superseded' | 'unsure'

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
  /** It belongs to the network, as far as this peer sees; everybody does, unless told. */
  isMember?(peer: PeerId): boolean
  /** Whom the ring gives the site, as far as this peer sees. */
  ownerOf?(site: SiteId): PeerId | undefined
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
  /** When members were last told again. */
  toldMs: number
}

const claimsMax = 256
/** Attempts whose outcome is not known; with more, we wait until one is. */
const venturedMax = 8
/** Counted for the pause between attempts. */
const failuresMax = 10
const tellAgainMs = 5_000
const nothing = new Uint8Array()

export class Stewards {
  readonly #needs: StewardsNeeds
  readonly #terms: StewardTerms
  readonly #desk: MemberDesk
  readonly #claiming: Claiming
  readonly #verification: Verification
  readonly #partners = new Map<PeerId, Partner>()
  readonly #sought = new Map<SiteId, Sought>()
  #claims = 0
  #tasks: readonly PeriodicTask[] = []

  constructor(needs: StewardsNeeds, terms: Partial<StewardTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...stewardTermsDefault, ...terms }
    const { self, clock, random, book } = needs
    const asked = {
      partner: (peer: PeerId) => this.#partner(peer),
      isGone: (peer: PeerId) => needs.isGone(peer),
      isMember: (peer: PeerId) => this.#isMember(peer),
      fullSet: (site: SiteId) => needs.fullSet(site),
      ownerOf: (site: SiteId) => needs.ownerOf?.(site),
      isEstablished: (site: SiteId, epoch: number) => needs.isEstablished?.(site, epoch) ?? false,
    }
    const verification = new Verification({ self, clock, book, ...asked }, this.#terms)
    this.#verification = verification
    this.#desk = new MemberDesk({ self, clock, random, book, verification, ...asked }, this.#terms)
    this.#claiming = new Claiming({ self, clock, random, verification, ...asked })
  }

  start(): void {
    this.#tasks = [
      this.#every(this.#terms.renewMs, () => this.#renewAll()),
      this.#every(this.#terms.retryMs, () => this.#claimDue()),
    ]
  }

  close(): void {
    for (const task of this.#tasks) void task.close()
  }

  /** Questions of others, as members and as stewards. */
  async answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const question = memberQuestion.decode(bytes)
    if (question.kind !== 'yield') return this.#desk.answer(from, question)
    const unwanted = question.sites.filter(
      ({ site, stewardship }) => !this.#sought.has(site) && stewardship.steward === this.#needs.self,
    )
    await Promise.all(
      unwanted.map(({ site, stewardship }) => {
        const members = stewardship.members.filter((peer) => this.#isMember(peer))
        return this.#claiming.layDown(site, { ...stewardship, members })
      }),
    )
    return nothing
  }

  seek(site: SiteId): void {
    if (this.#sought.has(site)) return
    this.#sought.set(site, {
      held: undefined,
      ventured: [],
      isClaiming: false,
      nextMs: 0,
      failures: 0,
      toldMs: 0,
    })
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

  /** Whether the peer is the site's steward in this epoch, as it says; whoever could know is asked if this peer does not. */
  async standing(site: SiteId, epoch: number, peer: PeerId): Promise<Standing> {
    const known = this.#standing(site, epoch, peer)
    if (known !== undefined) return known
    const told = await this.#toldBy(site, epoch, peer)
    if (told?.epoch !== epoch || told.steward !== peer) return 'unsure'
    await this.#verification.isKnown(site, told, peer)
    return this.#standing(site, epoch, peer) ?? 'unsure'
  }

  #standing(site: SiteId, epoch: number, peer: PeerId): Standing | undefined {
    const { decided } = this.#needs.book.get(site)
    if (decided === undefined || decided.epoch < epoch) return undefined
    if (decided.steward === peer) return 'steward'
    return decided.epoch > epoch ? 'superseded' : 'unsure'
  }

  /** What it says was decided, or what we have accepted of that. */
  async #toldBy(site: SiteId, epoch: number, peer: PeerId): Promise<Stewardship | undefined> {
    const accepted = this.#needs.book.get(site).accepted?.stewardship
    if (accepted?.epoch === epoch && accepted.steward === peer) return accepted
    try {
      return (await this.#partner(peer).recall(site)).decided
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  /** The last epoch that is known to have a steward. */
  lastEpoch(site: SiteId): number {
    return epochOf(this.#needs.book.get(site).decided)
  }

  /** The epoch in which another is steward, when one says that ours is over and others confirm it. */
  async laterEpoch(site: SiteId, epoch: number, teller: PeerId): Promise<number | undefined> {
    if (teller !== this.#needs.self) {
      const told = await this.#toldBy(site, epoch, teller)
      if (told !== undefined) await this.#verification.isKnown(site, told, teller)
    }
    const { decided } = this.#needs.book.get(site)
    const heldEpoch = this.held(site)?.epoch ?? 0
    if (decided === undefined || decided.epoch < epoch || decided.epoch <= heldEpoch) return undefined
    return decided.epoch
  }

  /** A member does not know that we are its steward, and nobody confirms it: see Claiming.tellAgain. */
  tellAgain(site: SiteId): void {
    const sought = this.#sought.get(site)
    const nowMs = this.#needs.clock.monotonicMs()
    if (sought?.held === undefined || sought.toldMs + tellAgainMs > nowMs) return
    sought.toldMs = nowMs
    void this.#claiming.tellAgain(site, sought.held)
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

  /** Whom the ring names now. Where those are few, with some who are away: of two members each could hold the site up. */
  #wished(site: SiteId): readonly PeerId[] | undefined {
    const present = this.#needs.replicaSet(site)
    if (present === undefined) return undefined
    const full = this.#needs.fullSet(site)
    return union(present, full).slice(0, Math.max(present.length, full.length))
  }

  #isMember(peer: PeerId): boolean {
    return peer === this.#needs.self || (this.#needs.isMember?.(peer) ?? true)
  }

  /** It is ours, and its members are those whom the ring names. */
  isSettled(site: SiteId): boolean {
    const sought = this.#sought.get(site)
    return sought?.held !== undefined && this.#isSettled(site, sought)
  }

  #isSettled(site: SiteId, { held }: Sought): boolean {
    const wished = this.#wished(site)
    // Not ours any more: to be laid down by whoever sought it.
    if (wished === undefined) return true
    return held !== undefined && isSameSet(wished, held.members) && this.may(site)
  }

  async #claim(site: SiteId, sought: Sought): Promise<void> {
    const wished = this.#wished(site)
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
    const pauseMs = jittered(this.#terms.retryMs * sought.failures, 0.5, random)
    sought.nextMs = clock.monotonicMs() + Math.min(pauseMs, leftMs)
  }

  async #askToYield(site: SiteId, stewardship: Stewardship): Promise<void> {
    try {
      const question = memberQuestion.encode({ kind: 'yield', sites: [{ site, stewardship }] })
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

  #every(periodMs: number, task: () => void): PeriodicTask {
    const { random } = this.#needs
    return new PeriodicTask(this.#needs, periodMs, task, { firstMs: 0, jitter: { share: 0.2, random } })
  }
}

function membersOf({ held, ventured }: Sought): PeerId[] {
  if (held === undefined) return []
  return [held, ...ventured].flatMap(({ members }) => members)
}
