// Leases of this peer: acquires the leases of sites that the ring gives us, renews and releases them; and answers as a member for
// the leases of others.
//
//   leases.acquire(site)                we own the site by the ring, and have something to do there
//   if (leases.canCrawl(site)) fetch     asked before every request: a lease can end at any moment
//   await leases.release(site)          once no request is under way any more
//
// What it leaves to others: who owns what (the ring), what is done with a site, and how peers are reached.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { jittered, type Random } from '../../platform/random.ts'
import {
  epochOf,
  isMajority,
  isSameSet,
  type Lease,
  type LeaseTerms,
  leaseTermsDefault,
  type SiteId,
  union,
} from './lease.ts'
import { type ClaimOutcome, LeaseAcquisition } from './lease-acquisition.ts'
import type { LeaseStore } from './lease-store.ts'
import { MemberClient } from './member-client.ts'
import { MemberHandler } from './member-handler.ts'
import { Verification } from './verification.ts'
import { memberQuestion } from './wire/questions.ts'

/** Whether a peer that claims the lease of an epoch holds it. `unsure` is temporary: ask again later. */
type Standing = 'holder' | 'superseded' | 'unsure'

interface LeasesNeeds {
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  readonly store: LeaseStore
  /** Sends a request to another peer's leases. Rejects with a PolyhistorError when it does not answer. */
  ask(peer: PeerId, question: Uint8Array, options: { deadlineMs: number }): Promise<Uint8Array>
  /** Who keeps the site's copies by the ring, ourselves first; undefined when it is not ours. */
  replicaSet(site: SiteId): readonly PeerId[] | undefined
  isGone(peer: PeerId): boolean
  /** The replica set as it would be if every peer were present that is not gone for good; whoever owns the site. */
  fullSet(site: SiteId): readonly PeerId[]
  /** Whether the peer belongs to the network, as far as this peer knows. Default: every peer does. */
  isMember?(peer: PeerId): boolean
  /** Whom the ring gives the site, as far as this peer sees. */
  ownerOf?(site: SiteId): PeerId | undefined
  /** Whether a majority of the members is known to have the site's state of before this epoch. Default: never. */
  isEstablished?(site: SiteId, epoch: number): boolean
  /** `canCrawl` of the site may have changed. Not called when a lease merely expires. */
  onChange?(site: SiteId): void
}

interface WantedSite {
  held: Lease | undefined
  /** Later leases of ours that may have been decided without our having heard the outcome. */
  unconfirmed: Lease[]
  isClaiming: boolean
  nextMs: number
  failures: number
  /** When members were last told again. */
  toldMs: number
}

const claimsMax = 256
/** Attempts with unknown outcome; with more of them, we wait until one is known. */
const unconfirmedMax = 8
/** More failures do not make the back-off longer. */
const failuresMax = 10
const tellAgainMs = 5_000
const nothing = new Uint8Array()

class LeasesClosed extends PolyhistorError {
  constructor() {
    super('leases-closed', 'This peer is stopping', { retry: 'later' })
  }
}

export class Leases {
  readonly #needs: LeasesNeeds
  readonly #terms: LeaseTerms
  readonly #handler: MemberHandler
  readonly #claiming: LeaseAcquisition
  readonly #verification: Verification
  readonly #memberClients = new Map<PeerId, MemberClient>()
  readonly #wanted = new Map<SiteId, WantedSite>()
  #claims = 0
  #tasks: readonly PeriodicTask[] = []
  /** What looks at our store: answers, ours to ourselves included, and claims. */
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(needs: LeasesNeeds, terms: Partial<LeaseTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...leaseTermsDefault, ...terms }
    const { self, clock, random, store } = needs
    const asked = {
      member: (peer: PeerId) => this.#member(peer),
      isGone: (peer: PeerId) => needs.isGone(peer),
      isMember: (peer: PeerId) => this.#isMember(peer),
      fullSet: (site: SiteId) => needs.fullSet(site),
      ownerOf: (site: SiteId) => needs.ownerOf?.(site),
      isEstablished: (site: SiteId, epoch: number) => needs.isEstablished?.(site, epoch) ?? false,
    }
    const verification = new Verification({ self, clock, store, ...asked }, this.#terms)
    this.#verification = verification
    this.#handler = new MemberHandler({ self, clock, random, store, verification, ...asked }, this.#terms)
    this.#claiming = new LeaseAcquisition({ self, clock, random, verification, ...asked })
  }

  start(): void {
    this.#tasks = [
      this.#every(this.#terms.renewMs, () => this.#renewAll()),
      this.#every(this.#terms.retryMs, () => this.#claimDue()),
    ]
  }

  /** Nobody is asked or answered any more. Resolves when our store is not looked at any more: it may be closed then. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const task of this.#tasks) void task.close()
    await Promise.allSettled(this.#underWay)
  }

  /** Answers requests of other peers, to us as a member and as a lease holder. */
  answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#isClosed) return Promise.reject(new LeasesClosed())
    return this.#noted(this.#answer(from, bytes))
  }

  async #answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const question = memberQuestion.decode(bytes)
    if (question.kind !== 'yield') return this.#handler.answer(from, question)
    const unwanted = question.sites.filter(
      ({ site, lease }) => !this.#wanted.has(site) && lease.holder === this.#needs.self,
    )
    await Promise.all(
      unwanted.map(({ site, lease }) => {
        const members = lease.members.filter((peer) => this.#isMember(peer))
        return this.#claiming.layDown(site, { ...lease, members })
      }),
    )
    return nothing
  }

  acquire(site: SiteId): void {
    if (this.#wanted.has(site)) return
    this.#wanted.set(site, {
      held: undefined,
      unconfirmed: [],
      isClaiming: false,
      nextMs: 0,
      failures: 0,
      toldMs: 0,
    })
    this.#claimDue()
  }

  /** True: no other peer may crawl the site now, nor for so much longer. */
  canCrawl(site: SiteId, forMs = 0): boolean {
    const wanted = this.#wanted.get(site)
    if (wanted?.held === undefined) return false
    return (
      this.#isGranted(site, wanted.held, forMs) &&
      wanted.unconfirmed.every((other) => this.#isGranted(site, other, forMs))
    )
  }

  #isGranted(site: SiteId, { members }: Lease, forMs: number): boolean {
    let grants = 0
    for (const peer of members) if (this.#memberClients.get(peer)?.hasGranted(site, forMs)) grants++
    return isMajority(grants, members)
  }

  /** The lease that we hold by the last decision, whether or not members still renew it. */
  leaseOf(site: SiteId): Lease | undefined {
    return this.#wanted.get(site)?.held
  }

  /** Whether the peer is the site's lease holder in this epoch, as it claims. Asks other peers when the store does not tell. */
  async checkHolder(site: SiteId, epoch: number, peer: PeerId): Promise<Standing> {
    const known = this.#standing(site, epoch, peer)
    if (known !== undefined) return known
    const reported = await this.#reportedBy(site, epoch, peer)
    if (reported?.epoch !== epoch || reported.holder !== peer) return 'unsure'
    await this.#verification.confirm(site, reported, peer)
    return this.#standing(site, epoch, peer) ?? 'unsure'
  }

  #standing(site: SiteId, epoch: number, peer: PeerId): Standing | undefined {
    const { decided } = this.#needs.store.get(site)
    if (decided === undefined || decided.epoch < epoch) return undefined
    if (decided.holder === peer) return 'holder'
    return decided.epoch > epoch ? 'superseded' : 'unsure'
  }

  /** The lease that the peer says was decided, or what we accepted for that epoch. */
  async #reportedBy(site: SiteId, epoch: number, peer: PeerId): Promise<Lease | undefined> {
    const accepted = this.#needs.store.get(site).accepted?.lease
    if (accepted?.epoch === epoch && accepted.holder === peer) return accepted
    try {
      return (await this.#member(peer).recall(site)).decided
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  /** The last epoch that is known to have a lease holder. */
  lastEpoch(site: SiteId): number {
    return epochOf(this.#needs.store.get(site).decided)
  }

  /** The later epoch in which another peer holds the lease, when one peer reports it and others confirm it. */
  async findLaterEpoch(site: SiteId, epoch: number, reporter: PeerId): Promise<number | undefined> {
    if (reporter !== this.#needs.self) {
      const reported = await this.#reportedBy(site, epoch, reporter)
      if (reported !== undefined) await this.#verification.confirm(site, reported, reporter)
    }
    const { decided } = this.#needs.store.get(site)
    const heldEpoch = this.leaseOf(site)?.epoch ?? 0
    if (decided === undefined || decided.epoch < epoch || decided.epoch <= heldEpoch) return undefined
    return decided.epoch
  }

  /** A member does not know that we hold the lease, and nobody confirms it to it: see LeaseAcquisition.tellAgain. */
  announceAgain(site: SiteId): void {
    const wanted = this.#wanted.get(site)
    const nowMs = this.#needs.clock.monotonicMs()
    if (wanted?.held === undefined || wanted.toldMs + tellAgainMs > nowMs) return
    wanted.toldMs = nowMs
    void this.#claiming.tellAgain(site, wanted.held)
  }

  /** Our lease is known to be over: there is a later epoch. That may be ours, too, by an attempt that we took for failed and that
   * another peer finished; then members go on renewing it. */
  acquireAgain(site: SiteId): void {
    const wanted = this.#wanted.get(site)
    if (wanted === undefined) return
    wanted.held = undefined
    wanted.unconfirmed = []
    this.#claimDue()
  }

  isWanted(site: SiteId): boolean {
    return this.#wanted.has(site)
  }

  /** From this call on `canCrawl` is false; another peer can acquire the lease once it resolves, or soon after. */
  async release(site: SiteId): Promise<void> {
    const held = this.#wanted.get(site)?.held
    this.#wanted.delete(site)
    if (held === undefined) return
    await this.#claiming.layDown(site, held)
  }

  #claimDue(): void {
    if (this.#isClosed) return
    const nowMs = this.#needs.clock.monotonicMs()
    for (const [site, wanted] of this.#wanted) {
      if (this.#claims >= claimsMax) return
      if (wanted.isClaiming || wanted.nextMs > nowMs || this.#isSettled(site, wanted)) continue
      void this.#noted(this.#claim(site, wanted))
    }
  }

  /** The members that the next lease should have: the replica set, filled up with absent peers of the full set. With only two
   * members, either one could block the site. */
  #desired(site: SiteId): readonly PeerId[] | undefined {
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
    const wanted = this.#wanted.get(site)
    return wanted?.held !== undefined && this.#isSettled(site, wanted)
  }

  #isSettled(site: SiteId, { held }: WantedSite): boolean {
    const desired = this.#desired(site)
    // Not ours any more: whoever acquired it releases it.
    if (desired === undefined) return true
    return held !== undefined && isSameSet(desired, held.members) && this.canCrawl(site)
  }

  async #claim(site: SiteId, wanted: WantedSite): Promise<void> {
    const desired = this.#desired(site)
    if (desired === undefined) return
    wanted.isClaiming = true
    this.#claims++
    try {
      const known = this.#needs.store.get(site).decided
      await this.#settle(
        site,
        wanted,
        await this.#claiming.claim(site, desired, known, (proposal) =>
          this.#noteUnconfirmed(wanted, proposal),
        ),
      )
    } finally {
      wanted.isClaiming = false
      this.#claims--
    }
  }

  /** From now on the proposed lease may be in force. If it is ours, its members must grant it, too; if it is another peer's, we
   * must stop now, without waiting for the outcome. */
  #noteUnconfirmed(wanted: WantedSite, proposal: Lease): void {
    if (proposal.holder !== this.#needs.self) wanted.held = undefined
    else if (wanted.held !== undefined) wanted.unconfirmed.push(proposal)
    if (wanted.unconfirmed.length > unconfirmedMax) wanted.held = undefined
  }

  async #settle(site: SiteId, wanted: WantedSite, outcome: ClaimOutcome): Promise<void> {
    if (outcome.kind === 'refused') {
      this.#backOff(wanted, outcome.leftMs)
      await Promise.all(outcome.bound.map((lease) => this.#askToYield(site, lease)))
      return
    }
    const { lease } = outcome
    const isOurs = lease.holder === this.#needs.self
    if (this.#wanted.get(site) !== wanted) {
      // It was released meanwhile.
      if (isOurs) await this.#claiming.layDown(site, lease)
      return
    }
    wanted.held = isOurs ? lease : undefined
    wanted.unconfirmed = []
    wanted.failures = 0
    if (isOurs) {
      wanted.nextMs = this.#needs.clock.monotonicMs() + 2 * this.#terms.renewMs
      await Promise.all(lease.members.map((peer) => this.#renew(peer)))
    }
    this.#needs.onChange?.(site)
  }

  #backOff(wanted: WantedSite, leftMs = Number.POSITIVE_INFINITY): void {
    const { clock, random } = this.#needs
    wanted.failures = Math.min(failuresMax, wanted.failures + 1)
    const pauseMs = jittered(this.#terms.retryMs * wanted.failures, 0.5, random)
    wanted.nextMs = clock.monotonicMs() + Math.min(pauseMs, leftMs)
  }

  async #askToYield(site: SiteId, lease: Lease): Promise<void> {
    try {
      const question = memberQuestion.encode({ kind: 'yield', sites: [{ site, lease }] })
      await this.#ask(lease.holder, question)
    } catch (error) {
      // It does not answer: its lease expires by itself.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #renewAll(): void {
    const peers = new Set<PeerId>()
    for (const wanted of this.#wanted.values()) for (const peer of membersOf(wanted)) peers.add(peer)
    for (const peer of this.#memberClients.keys()) if (!peers.has(peer)) this.#memberClients.delete(peer)
    for (const peer of peers) void this.#renew(peer)
    this.#remindAll()
  }

  /** Members that answer and do not grant what we hold have not heard of it, or their record of it is damaged: they are told while
   * there are others that they can ask, since most members may be needed when we are lost. */
  #remindAll(): void {
    const nowMs = this.#needs.clock.monotonicMs()
    for (const [site, wanted] of this.#wanted) {
      const { held, toldMs } = wanted
      if (held === undefined || toldMs + tellAgainMs > nowMs) continue
      const unaware = held.members.filter((peer) => this.#memberClients.get(peer)?.hasRefused(site))
      if (unaware.length === 0) continue
      wanted.toldMs = nowMs
      for (const peer of unaware) void this.#remind(peer, site, held)
    }
  }

  async #remind(peer: PeerId, site: SiteId, lease: Lease): Promise<void> {
    try {
      await this.#member(peer).learn({ site, lease })
    } catch (error) {
      // It is told again with a later renewal.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  async #renew(peer: PeerId): Promise<void> {
    try {
      await this.#member(peer).renew(() => this.#sitesWith(peer))
    } catch (error) {
      // If this continues, this member's grant expires.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #sitesWith(peer: PeerId): SiteId[] {
    const sites: SiteId[] = []
    for (const [site, wanted] of this.#wanted) if (membersOf(wanted).includes(peer)) sites.push(site)
    return sites
  }

  #member(peer: PeerId): MemberClient {
    let member = this.#memberClients.get(peer)
    if (member === undefined) {
      const ask = (question: Uint8Array) => this.#ask(peer, question)
      member = new MemberClient({ clock: this.#needs.clock, ask }, this.#terms)
      this.#memberClients.set(peer, member)
    }
    return member
  }

  /** We are a member like the others: a grant to ourselves expires, too, when this process was stopped for long. */
  #ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array> {
    if (peer === this.#needs.self || this.#isClosed) return this.answer(peer, question)
    return this.#needs.ask(peer, question, { deadlineMs: this.#terms.answerMs })
  }

  #noted<Value>(work: Promise<Value>): Promise<Value> {
    const noted = work.finally(() => this.#underWay.delete(noted))
    this.#underWay.add(noted)
    return noted
  }

  #every(periodMs: number, task: () => void): PeriodicTask {
    const { random } = this.#needs
    return new PeriodicTask(this.#needs, periodMs, task, { firstMs: 0, jitter: { share: 0.2, random } })
  }
}

function membersOf({ held, unconfirmed }: WantedSite): PeerId[] {
  if (held === undefined) return []
  return [held, ...unconfirmed].flatMap(({ members }) => members)
}
