// Verification: finds out whether a stewardship that somebody tells of was decided, by asking others who would know.
//
// Who they are: its members and those before it, those that we know of, and those whom the ring names. What is confirmed
// is written into the book. Nothing is asked when the book or our own vote says it. What is not confirmed is not believed: the
// teller comes again, and whoever was away may be back by then.
// Bounded: a teller has so many questions under way here, and is not heard again about the same for a moment.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import { isConfirmed, isUndisputed, type Testimony } from './credibility.ts'
import type { Partner } from './partner.ts'
import {
  epochOf,
  isSame,
  isSameSet,
  type Recollection,
  recordOf,
  type SiteId,
  type Stewardship,
  type StewardTerms,
  union,
} from './stewardship.ts'
import type { StewardshipBook } from './stewardship-book.ts'

/** `undisputed`: nobody who answered knows the site, and most did. `open`: too few answered to say. */
export type Verdict = 'confirmed' | 'undisputed' | 'refuted' | 'open'

export interface VerificationNeeds {
  readonly self: PeerId
  readonly clock: Clock
  readonly book: StewardshipBook
  partner(peer: PeerId): Partner
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
/** A site's epochs do not get that far apart while somebody is away. */
const epochsAheadMax = 2 ** 32

export class Verification {
  readonly #needs: VerificationNeeds
  readonly #terms: StewardTerms
  readonly #underWay = new Map<PeerId, Map<string, Promise<Verdict>>>()
  /** What was not confirmed, and until when it is not asked for again. */
  readonly #unconfirmed = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>()

  constructor(needs: VerificationNeeds, terms: StewardTerms) {
    this.#needs = needs
    this.#terms = terms
  }

  /** We decided it ourselves, with most of those who had to: what we believed and what does not agree with it was never decided. */
  decide(site: SiteId, stewardship: Stewardship): Promise<void> {
    const { book } = this.#needs
    return book.change((put) => {
      const { decided } = book.get(site)
      if (stewardship.epoch > epochOf(decided) || contradicts(decided!, stewardship))
        put(site, recordOf(stewardship))
    })
  }

  /** True: it is the last that was decided, and the book says so. Takes no longer than somebody who asked us waits for the
   * answer; what is found out later counts the next time. */
  async isKnown(site: SiteId, told: Stewardship, teller: PeerId): Promise<boolean> {
    const { decided } = this.#needs.book.get(site)
    if (epochOf(decided) > told.epoch || isSame(decided, told)) return isSame(decided, told)
    return this.#within(this.#believe(site, told, teller), this.#terms.answerMs / 2)
  }

  async #believe(site: SiteId, told: Stewardship, teller: PeerId): Promise<boolean> {
    const verdict = await this.examine(site, told, teller)
    if (verdict === 'confirmed') return true
    if (
      verdict !== 'undisputed' ||
      told.epoch === this.#lastEpoch(site) ||
      !this.#isWhole(site, told, teller)
    )
      return false
    await this.#write(site, told)
    return true
  }

  /** What others say of it. What they confirm is in the book when this resolves. */
  async examine(site: SiteId, told: Stewardship, teller: PeerId): Promise<Verdict> {
    const key = `${site} ${told.epoch} ${told.steward}`
    const lately = this.#unconfirmed.get(`${key} ${teller}`)
    if (lately && lately.untilMs > this.#needs.clock.monotonicMs()) return lately.verdict
    const ofTeller = this.#underWay.get(teller) ?? new Map<string, Promise<Verdict>>()
    const underWay = ofTeller.get(key)
    if (underWay !== undefined) return underWay
    if (ofTeller.size >= perTellerMax) return 'open'
    const examined = this.#examine(site, told, teller).finally(() => {
      ofTeller.delete(key)
      if (ofTeller.size === 0) this.#underWay.delete(teller)
    })
    ofTeller.set(key, examined)
    this.#underWay.set(teller, ofTeller)
    const verdict = await examined
    if (verdict !== 'confirmed') this.#remember(`${key} ${teller}`, verdict)
    return verdict
  }

  async #examine(site: SiteId, told: Stewardship, teller: PeerId): Promise<Verdict> {
    const { self, book, isGone } = this.#needs
    const own = book.get(site)
    if (told.epoch > epochOf(own.decided) + epochsAheadMax || !told.members.includes(told.steward))
      return 'refuted'
    const answers = new Map<PeerId, Recollection>()
    const testimony: Testimony = { self, own, told, teller, answers, isGone: (peer) => isGone(peer) }
    const witnesses = this.#witnesses(site, told, teller)
    if (!isConfirmed(testimony)) await this.#ask(site, witnesses, answers, () => isConfirmed(testimony))
    if (isConfirmed(testimony)) {
      await this.#write(site, told)
      return 'confirmed'
    }
    const isAnswered = (peers: readonly PeerId[]) =>
      2 * peers.filter((peer) => answers.has(peer)).length > peers.length
    if (witnesses.length === 0 || (isAnswered(witnesses) && isUndisputed(testimony))) return 'undisputed'
    const members = witnesses.filter((peer) => told.members.includes(peer))
    return isAnswered(members.length > 0 ? members : witnesses) ? 'refuted' : 'open'
  }

  /** Until it is enough, or all have answered who do. */
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
          .partner(peer)
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

  #witnesses(site: SiteId, told: Stewardship, teller: PeerId): PeerId[] {
    const { self, book, fullSet, isGone } = this.#needs
    const before = told.before.slice(0, electoratesAsked).map(({ members }) => members)
    return union(book.get(site).decided?.members ?? [], fullSet(site), told.members, ...before)
      .filter((peer) => peer !== self && peer !== teller && !isGone(peer))
      .slice(0, witnessesMax)
  }

  /** All are members of the network, and so many that the teller cannot hold the site up alone. Of the peer to which the ring gives
   * the site it may also be what is left of one: it would only hold up itself. */
  #isWhole(site: SiteId, told: Stewardship, teller: PeerId): boolean {
    const { isMember, isGone, fullSet, ownerOf } = this.#needs
    const isOwner = ownerOf(site) === teller
    const named = union(told.members, ...told.before.map(({ members }) => members))
    return (
      told.members.length >= Math.min(membersMin, fullSet(site).length) &&
      named.every((peer) => isMember(peer) || (isOwner && isGone(peer)))
    )
  }

  #write(site: SiteId, told: Stewardship): Promise<void> {
    const { book } = this.#needs
    return book.change((put) => {
      const { decided } = book.get(site)
      // A liar who votes for two things can have two decided for one epoch. What others agree on counts.
      if (told.epoch >= epochOf(decided) && !isSame(told, decided)) put(site, recordOf(told))
    })
  }

  #lastEpoch(site: SiteId): number {
    return epochOf(this.#needs.book.get(site).decided)
  }

  #remember(key: string, verdict: Verdict): void {
    if (this.#unconfirmed.size >= unconfirmedMax) this.#unconfirmed.clear()
    const untilMs = this.#needs.clock.monotonicMs() + this.#terms.retryMs / 2
    this.#unconfirmed.set(key, { verdict, untilMs })
  }

  #within(wait: Promise<boolean>, limitMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = this.#needs.clock.after(limitMs, () => resolve(false))
      wait.then(resolve, reject).finally(() => timer.cancel())
    })
  }
}

/** Whether it can not have come after `other`. */
function contradicts(one: Stewardship, other: Stewardship): boolean {
  if (one.epoch === other.epoch) return !isSame(one, other)
  const past = one.before.find(({ epoch }) => epoch === other.epoch)
  return past !== undefined && !isSameSet(past.members, other.members)
}

/** In a set of three no single member can keep the others from deciding. */
export const membersMin = 3
