// Member handler: answers lease holders as a member of their sites.
//
// Invariants:
// - While a grant to a peer runs, no site whose lease it holds is given to another peer, unless it released it.
// - A peer has one grant for all its sites, renewed as a whole; a *session* is a series of grants without a gap. What a lease
//   holder was told in a session holds until the session ends.
// - Grants are in memory only: after a start, one full lease time is waited.
// - Towards attempts it is a Paxos acceptor, one instance for each epoch.
// - A decision that one peer reports counts when others confirm it: see verification.ts. A proposal must follow the last decision
//   and name enough members of the network that none of them can block the site alone.

import { PolyhistorError } from '../../errors.ts'
import { flags } from '../../formats/wire/message-fields.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import {
  epochOf,
  follows,
  isBefore,
  isSame,
  type Lease,
  type LeaseTerms,
  type SiteId,
  type SiteRecord,
} from './lease.ts'
import type { LeaseStore } from './lease-store.ts'
import { PromiseTurns } from './promise-turns.ts'
import { membersMin, type Verification, type VerificationNeeds } from './verification.ts'
import {
  type Attempt,
  type AttemptAnswer,
  attemptAnswers,
  memberSession,
  type Question,
  recollections,
  type SiteEpoch,
  type SiteLease,
} from './wire/questions.ts'
import { Withdrawal } from './withdrawal.ts'

interface MemberHandlerNeeds extends Omit<VerificationNeeds, 'member'> {
  readonly random: Random
  readonly verification: Verification
}

interface Grant {
  readonly session: number
  untilMs: number
}

/** All requests but those to lease holders. */
type MemberQuestion = Exclude<Question, { kind: 'yield' }>

const sessionsMax = 2 ** 48 - 1
/** Peers with grants at a time. */
const grantsMax = 10_000
/** Ballot rounds are bounded by the time of day in ms plus this, so that no peer can choose one that nobody could outbid. */
const roundsAheadMs = 3_600_000

export class MemberHandler {
  readonly #needs: MemberHandlerNeeds
  readonly #store: LeaseStore
  readonly #clock: Clock
  readonly #terms: LeaseTerms
  readonly #grants = new Map<PeerId, Grant>()
  readonly #turns: PromiseTurns
  readonly #withdrawal: Withdrawal
  /** Until then a grant of the previous process may still run. */
  readonly #boundUntilMs: number

  constructor(needs: MemberHandlerNeeds, terms: LeaseTerms) {
    this.#needs = needs
    this.#store = needs.store
    this.#clock = needs.clock
    this.#terms = terms
    this.#turns = new PromiseTurns(needs, terms)
    this.#withdrawal = new Withdrawal(
      {
        clock: needs.clock,
        ownerOf: (site) => needs.ownerOf(site),
        endSession: (holder) => this.#endSession(holder),
      },
      terms,
    )
    this.#boundUntilMs = needs.store.isNew ? 0 : needs.clock.monotonicMs() + terms.leaseMs
  }

  async answer(from: PeerId, question: MemberQuestion): Promise<Uint8Array> {
    switch (question.kind) {
      case 'renew':
        return memberSession.encode(this.#renew(from, question.session))
      case 'attest':
        return flags.encode(this.#attest(from, question.session, question.sites))
      case 'attempt':
        return attemptAnswers.encode(await this.#consider(from, question.attempts))
      case 'learn':
        await this.#learn(from, question.sites)
        return nothing
      case 'lay-down':
        await this.#layDown(from, question.sites)
        return nothing
      case 'recall':
        return recollections.encode(question.sites.map((site) => this.#store.get(site)))
    }
  }

  #renew(peer: PeerId, session: number): number {
    const nowMs = this.#clock.monotonicMs()
    const running = this.#running(peer)
    const grant = running?.session === session ? running : { session: this.#newSession(), untilMs: 0 }
    grant.untilMs = nowMs + this.#terms.leaseMs
    if (!running && this.#grants.size >= grantsMax) this.#forgetEnded(nowMs)
    this.#grants.set(peer, grant)
    return grant.session
  }

  #attest(peer: PeerId, session: number, sites: readonly SiteId[]): boolean[] {
    if (this.#running(peer)?.session !== session) {
      throw new PolyhistorError(
        'steward-session-over',
        'That session of lease renewals is over: ask for another',
        {
          retry: 'later',
        },
      )
    }
    return sites.map((site) => {
      const { decided, isLaidDown, accepted } = this.#store.get(site)
      // Another proposal that we accepted may have been chosen by now.
      const isSucceeded = accepted !== undefined && accepted.lease.holder !== peer
      if (decided?.holder !== peer || isLaidDown || isSucceeded) return false
      return this.#withdrawal.endMs(site, peer) === undefined
    })
  }

  async #consider(from: PeerId, attempts: readonly Attempt[]): Promise<AttemptAnswer[]> {
    const roundMax = this.#clock.nowMs() + roundsAheadMs
    if (attempts.some(({ ballot }) => ballot.peer !== from || ballot.round > roundMax))
      throw new PolyhistorError(
        'steward-ballot',
        'An attempt is made in the name of another peer, or for ever',
      )
    await Promise.all(attempts.map(({ site, base }) => this.#findOut(from, site, base)))
    return this.#store.change((put) =>
      attempts.map((attempt) => {
        const record = this.#store.get(attempt.site)
        const answer = this.#answer(from, attempt, record)
        if (answer.kind === 'agreed') put(attempt.site, agreed(record, attempt))
        return answer
      }),
    )
  }

  /** When this resolves, a reported lease that was unknown here and is confirmed is in the store. */
  async #findOut(from: PeerId, site: SiteId, reported: Lease | undefined): Promise<void> {
    const { decided } = this.#store.get(site)
    if (reported === undefined || reported.epoch < epochOf(decided) || isSame(reported, decided)) return
    if (from !== this.#needs.self) await this.#needs.verification.confirm(site, reported, from)
  }

  #answer(from: PeerId, { site, base, ballot, proposal }: Attempt, record: SiteRecord): AttemptAnswer {
    const { decided, promised, accepted, isLaidDown } = record
    const epoch = epochOf(decided)
    if (decided && epoch > epochOf(base)) return { kind: 'decided', decided }
    if (epoch < epochOf(base)) return { kind: 'unsure' }
    if (promised && isBefore(ballot, promised)) {
      this.#turns.contest(site, epoch, from)
      return { kind: 'outbid', ballot: promised }
    }
    // What we accepted before may have been chosen, and is to be finished whoever is gone by now.
    const isAccepted = proposal !== undefined && isSame(accepted?.lease, proposal)
    if (proposal && !isAccepted && !this.#isSound(from, site, proposal, decided)) return { kind: 'unsure' }
    if (proposal && decided?.holder === from && this.#withdrawal.endMs(site, from) !== undefined)
      return { kind: 'unsure' }
    if (proposal && decided && !isLaidDown && decided.holder !== from) {
      const leftMs = this.#boundTo(site, decided) - this.#clock.monotonicMs()
      if (leftMs > 0) {
        this.#withdrawal.contest(site, decided.holder, from)
        return { kind: 'bound', to: decided, leftMs }
      }
    }
    if (!this.#turns.take(site, epoch, from))
      return promised ? { kind: 'outbid', ballot: promised } : { kind: 'unsure' }
    return { kind: 'agreed', accepted }
  }

  /** The site's owner by the ring may have to finish a proposal that names peers which are lost by now: it would only block itself. */
  #isSound(from: PeerId, site: SiteId, proposal: Lease, decided: Lease | undefined): boolean {
    const { isMember, isGone, fullSet, ownerOf } = this.#needs
    const isEnough = proposal.members.length >= Math.min(membersMin, fullSet(site).length)
    const isOwner = ownerOf(site) === from
    const isKnown = (peer: PeerId) =>
      isMember(peer) || decided?.members.includes(peer) || (isOwner && isGone(peer))
    return isEnough && follows(proposal, decided) && proposal.members.every(isKnown)
  }

  async #learn(from: PeerId, sites: readonly SiteLease[]): Promise<void> {
    const { self, verification } = this.#needs
    await Promise.all(
      sites.map(({ site, lease }) =>
        from === self ? verification.decide(site, lease) : this.#findOut(from, site, lease),
      ),
    )
  }

  #layDown(from: PeerId, sites: readonly SiteEpoch[]): Promise<void> {
    return this.#store.change((put) => {
      for (const { site, epoch } of sites) {
        const record = this.#store.get(site)
        const { decided } = record
        if (decided?.epoch === epoch && decided.holder === from) put(site, { ...record, isLaidDown: true })
      }
    })
  }

  #boundTo(site: SiteId, decided: Lease): number {
    const grantedMs =
      this.#withdrawal.endMs(site, decided.holder) ?? this.#grants.get(decided.holder)?.untilMs ?? 0
    return Math.max(this.#boundUntilMs, grantedMs)
  }

  #running(peer: PeerId): Grant | undefined {
    const grant = this.#grants.get(peer)
    return grant && grant.untilMs > this.#clock.monotonicMs() ? grant : undefined
  }

  #newSession(): number {
    return 1 + this.#needs.random.below(sessionsMax)
  }

  /** Its grant runs on for the sites it was told of before; it has to ask anew for all others. */
  #endSession(peer: PeerId): void {
    const running = this.#running(peer)
    if (running) this.#grants.set(peer, { ...running, session: this.#newSession() })
  }

  #forgetEnded(nowMs: number): void {
    for (const [peer, { untilMs }] of this.#grants) if (untilMs <= nowMs) this.#grants.delete(peer)
    if (this.#grants.size >= grantsMax) {
      throw new PolyhistorError('steward-grants-full', 'Too many peers hold leases that are granted here', {
        retry: 'later',
      })
    }
  }
}

function agreed(record: SiteRecord, { ballot, proposal }: Attempt): SiteRecord {
  return { ...record, promised: ballot, accepted: proposal ? { ballot, lease: proposal } : record.accepted }
}

const nothing = new Uint8Array()
