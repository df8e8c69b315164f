// Verification: finds out whether a lease that a peer reports was decided, by asking other peers that would know.
//
// Asked are its members, those of earlier leases, those in our store, and those whom the ring names. A confirmed lease is written
// to the store. Nobody is asked when the store or our own vote settles it. A report that nobody confirms or contradicts counts where
// those who spoke are most of those who had to decide. What else is not confirmed is ignored: the reporter comes again, and absent
// peers may be back by then.
// Bounded: the checks under way per reporter are limited, and the same report is not checked again for a moment.

import { PolyhistorError } from '../../errors.ts'
import { type Clock, within } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { disputants, isConceivable, isConfirmed, isQuorum, type Testimony } from './credibility.ts'
import {
  epochOf,
  isMajority,
  isSame,
  isSameSet,
  type Lease,
  type LeaseTerms,
  type Recollection,
  recordOf,
  type SiteId,
  union,
} from './lease.ts'
import type { LeaseStore } from './lease-store.ts'
import type { MemberClient } from './member-client.ts'

/** `undisputed`: enough answered, and none of them knows otherwise. `open`: too few answered to tell. */
type Verdict = 'confirmed' | 'undisputed' | 'refuted' | 'open'

export interface VerificationNeeds {
  readonly self: PeerId
  readonly clock: Clock
  readonly store: LeaseStore
  member(peer: PeerId): MemberClient
  isGone(peer: PeerId): boolean
  isMember(peer: PeerId): boolean
  fullSet(site: SiteId): readonly PeerId[]
  ownerOf(site: SiteId): PeerId | undefined
}

const witnessesMax = 32
/** Earlier electorates whose members are asked. */
const electoratesAsked = 3
const perTellerMax = 1_000
const unconfirmedMax = 10_000
/** Epochs further ahead than this are made up. */
const epochsAheadMax = 2 ** 32

export class Verification {
  readonly #needs: VerificationNeeds
  readonly #terms: LeaseTerms
  readonly #underWay = new Map<PeerId, Map<string, Promise<Verdict>>>()
  /** Reports that were not confirmed, and until when they are not checked again. */
  readonly #unconfirmed = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>()

  constructor(needs: VerificationNeeds, terms: LeaseTerms) {
    this.#needs = needs
    this.#terms = terms
  }

  /** Records a lease that we decided ourselves, with a majority. A record that contradicts it was never decided, and is
   * replaced. */
  decide(site: SiteId, lease: Lease): Promise<void> {
    const { store } = this.#needs
    return store.change((put) => {
      const { decided } = store.get(site)
      if (lease.epoch > epochOf(decided) || contradicts(decided!, lease)) put(site, recordOf(lease))
    })
  }

  /** True: it is the last decided lease, and in the store. Takes no longer than the caller's deadline; what is found out later
   * counts the next time. */
  async confirm(site: SiteId, reported: Lease, reporter: PeerId): Promise<boolean> {
    const { decided } = this.#needs.store.get(site)
    if (epochOf(decided) > reported.epoch || isSame(decided, reported)) return isSame(decided, reported)
    const isBelieved = this.#believe(site, reported, reporter)
    return (await within(this.#needs.clock, this.#terms.answerMs / 2, isBelieved)) ?? false
  }

  async #believe(site: SiteId, reported: Lease, reporter: PeerId): Promise<boolean> {
    const verdict = await this.examine(site, reported, reporter)
    if (verdict === 'confirmed') return true
    if (
      verdict !== 'undisputed' ||
      reported.epoch === this.#lastEpoch(site) ||
      !this.#isWhole(site, reported, reporter)
    )
      return false
    await this.#write(site, reported)
    return true
  }

  /** The verdict of other peers. A confirmed lease is in the store when this resolves. */
  async examine(site: SiteId, reported: Lease, reporter: PeerId): Promise<Verdict> {
    const key = `${site} ${reported.epoch} ${reported.holder}`
    const lately = this.#unconfirmed.get(`${key} ${reporter}`)
    if (lately && lately.untilMs > this.#needs.clock.monotonicMs()) return lately.verdict
    const ofTeller = this.#underWay.get(reporter) ?? new Map<string, Promise<Verdict>>()
    const underWay = ofTeller.get(key)
    if (underWay !== undefined) return underWay
    if (ofTeller.size >= perTellerMax) return 'open'
    const examined = this.#examine(site, reported, reporter).finally(() => {
      ofTeller.delete(key)
      if (ofTeller.size === 0) this.#underWay.delete(reporter)
    })
    ofTeller.set(key, examined)
    this.#underWay.set(reporter, ofTeller)
    const verdict = await examined
    if (verdict !== 'confirmed') this.#remember(`${key} ${reporter}`, verdict)
    return verdict
  }

  async #examine(site: SiteId, reported: Lease, reporter: PeerId): Promise<Verdict> {
    const { self, store, isGone } = this.#needs
    const own = store.get(site)
    if (reported.epoch > epochOf(own.decided) + epochsAheadMax || !reported.members.includes(reported.holder))
      return 'refuted'
    const answers = new Map<PeerId, Recollection>()
    const testimony: Testimony = { self, own, reported, reporter, answers, isGone: (peer) => isGone(peer) }
    const witnesses = this.#witnesses(site, reported, reporter)
    if (!isConfirmed(testimony)) await this.#ask(site, witnesses, answers, () => isConfirmed(testimony))
    if (isConfirmed(testimony)) {
      await this.#write(site, reported)
      return 'confirmed'
    }
    const isAnswered = (peers: readonly PeerId[]) =>
      isMajority(peers.filter((peer) => answers.has(peer)).length, peers)
    if (witnesses.length === 0 || this.#isUndisputed(site, testimony, isAnswered(witnesses)))
      return 'undisputed'
    const members = witnesses.filter((peer) => reported.members.includes(peer))
    return isAnswered(members.length > 0 ? members : witnesses) ? 'refuted' : 'open'
  }

  /** Nobody contradicts it, and enough have spoken. One that does contradict the site's owner by the ring may be a liar, and is
   * not heeded where we know that no other lease can have been decided without us. */
  #isUndisputed(site: SiteId, testimony: Testimony, isAnswered: boolean): boolean {
    const { store, fullSet, ownerOf } = this.#needs
    const { reported, reporter } = testimony
    if (!isConceivable(testimony)) return false
    const hasQuorum = [reported.members, fullSet(site)].every((peers) => isQuorum(testimony, peers))
    const disputed = disputants(testimony).length
    if (disputed === 0) return isAnswered || hasQuorum
    return disputed === 1 && hasQuorum && ownerOf(site) === reporter && !store.hasForgotten(site)
  }

  /** Until there are enough answers, or no more are to come. */
  #ask(
    site: SiteId,
    witnesses: readonly PeerId[],
    answers: Map<PeerId, Recollection>,
    isEnough: () => boolean,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      let left = witnesses.length
      if (left === 0) resolve()
      for (const peer of witnesses) {
        this.#needs
          .member(peer)
          .recall(site)
          .then(
            (answer) => void answers.set(peer, answer),
            (error: unknown) => {
              if (!(error instanceof PolyhistorError)) throw error
            },
          )
          .then(() => {
            if (--left === 0 || isEnough()) resolve()
          })
          .catch(reject)
      }
    })
  }

  #witnesses(site: SiteId, reported: Lease, reporter: PeerId): PeerId[] {
    const { self, store, fullSet, isGone } = this.#needs
    const before = reported.before.slice(0, electoratesAsked).map(({ members }) => members)
    return union(store.get(site).decided?.members ?? [], fullSet(site), reported.members, ...before)
      .filter((peer) => peer !== self && peer !== reporter && !isGone(peer))
      .slice(0, witnessesMax)
  }

  /** All its members belong to the network, and are so many that the reporter cannot block the site alone. From the site's owner
   * by the ring a smaller set is accepted, too: it would only block itself. */
  #isWhole(site: SiteId, reported: Lease, reporter: PeerId): boolean {
    const { isMember, isGone, fullSet, ownerOf } = this.#needs
    const isOwner = ownerOf(site) === reporter
    const named = union(reported.members, ...reported.before.map(({ members }) => members))
    return (
      reported.members.length >= Math.min(membersMin, fullSet(site).length) &&
      named.every((peer) => isMember(peer) || (isOwner && isGone(peer)))
    )
  }

  #write(site: SiteId, reported: Lease): Promise<void> {
    const { store } = this.#needs
    return store.change((put) => {
      const { decided } = store.get(site)
      // A member that votes for two values can cause two decisions for one epoch. The one that other peers agree on counts.
      if (reported.epoch >= epochOf(decided) && !isSame(reported, decided)) put(site, recordOf(reported))
    })
  }

  #lastEpoch(site: SiteId): number {
    return epochOf(this.#needs.store.get(site).decided)
  }

  #remember(key: string, verdict: Verdict): void {
    if (this.#unconfirmed.size >= unconfirmedMax) this.#unconfirmed.clear()
    const untilMs = this.#needs.clock.monotonicMs() + this.#terms.retryMs / 2
    this.#unconfirmed.set(key, { verdict, untilMs })
  }
}

/** Whether `one` cannot be a successor of `other`. */
function contradicts(one: Lease, other: Lease): boolean {
  if (one.epoch === other.epoch) return !isSame(one, other)
  const past = one.before.find(({ epoch }) => epoch === other.epoch)
  return past !== undefined && !isSameSet(past.members, other.members)
}

/** With three members no single one can block a decision. */
export const membersMin = 3
