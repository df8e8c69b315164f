// Lease acquisition: one attempt at deciding a site's next lease, by Paxos among the members of the last one.
//
// Phase 1: a majority promises to ignore earlier ballots and reports what it accepted of them; that must be finished, since it
// may have been chosen. Phase 2: a majority accepts. So one epoch never has two leases. A holder whose lease has not expired is
// not replaced: its members do not accept.
//
// One of the members may lie. So a decision that only one peer reports is confirmed first (verification.ts), and a value that
// only one reports as accepted is finished only if it can have been chosen, given how many others answered.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import {
  type Accepted,
  type Ballot,
  electoratesAfter,
  epochOf,
  follows,
  isBefore,
  isMajority,
  isSame,
  isSameSet,
  type Lease,
  type SiteId,
  union,
} from './lease.ts'
import type { MemberClient } from './member-client.ts'
import type { Verification } from './verification.ts'
import { electoratesMax } from './wire/lease-coding.ts'
import type { Attempt, AttemptAnswer } from './wire/questions.ts'

export type ClaimOutcome =
  /** Our proposal, or one that another peer had begun: then try again. */
  | { readonly kind: 'decided'; readonly lease: Lease }
  /** `bound`: leases that members still honour, for `leftMs` at least. */
  | {
      readonly kind: 'refused'
      readonly bound: readonly Lease[]
      readonly leftMs: number | undefined
      /** Some members do not know the lease that the proposal follows. */
      readonly isDoubted: boolean
    }

interface LeaseAcquisitionNeeds {
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  readonly verification: Verification
  member(peer: PeerId): MemberClient
  /** It has been silent for so long that others may decide without it. */
  isGone(peer: PeerId): boolean
  /** The replica set as it would be if every peer were present that is not gone for good. */
  fullSet(site: SiteId): readonly PeerId[]
  /** Whether a majority of the members is known to have the site's state of before this epoch. */
  isEstablished(site: SiteId, epoch: number): boolean
}

/** How often members that were unknown so far may name yet others. */
const recallsMax = 4
const askedMax = 64
/** Rounds begin anywhere below this: not where they were before a restart. */
const firstRounds = 2 ** 20
const roundsMax = 10_000
const roundsAheadMs = 3_600_000
/** How long we try to get the state of a site from the only peer that claims it, before we go on without. */
const doubtMs = 180_000
/** After a longer pause the time counts from the start again. */
const doubtPauseMsMax = 60_000
const doubtsMax = 1_000

type Report = readonly [reporter: PeerId, lease: Lease]

export class LeaseAcquisition {
  readonly #needs: LeaseAcquisitionNeeds
  /** The latest round heard of, by site, where attempts failed. */
  readonly #rounds = new Map<SiteId, number>()
  /** Since when only one peer claims the site, and when it last did. */
  readonly #doubts = new Map<SiteId, { readonly sinceMs: number; lastMs: number }>()

  constructor(needs: LeaseAcquisitionNeeds) {
    this.#needs = needs
  }

  /** `desired`: the members that the ring names, including us. `known`: the last lease that we know to be decided.
   * `noteUnconfirmed` is called with each proposal that may be decided from then on, whether we hear the outcome or not. */
  async claim(
    site: SiteId,
    desired: readonly PeerId[],
    known: Lease | undefined,
    noteUnconfirmed: (proposal: Lease) => void,
  ): Promise<ClaimOutcome> {
    const reported = await this.#recallAll(site, desired, known)
    const found = await this.#newest(site, known, reported)
    // There may be a later lease, and those who would know are away.
    if (found === 'open') return refused
    const { base } = found
    const outcome = await this.#claimAfter(site, base, desired, noteUnconfirmed)
    if (base === undefined || outcome.kind === 'decided' || !outcome.isDoubted) return outcome
    await this.tellAgain(site, base)
    const others = union(desired, base.before[0]?.members ?? [])
    const agreed = agreedInstead(base, await this.#recallAll(site, others, base))
    return agreed === undefined ? outcome : this.#claimAfter(site, agreed, desired, noteUnconfirmed)
  }

  /** The Paxos attempt for the epoch after `base`. */
  async #claimAfter(
    site: SiteId,
    base: Lease | undefined,
    desired: readonly PeerId[],
    noteUnconfirmed: (proposal: Lease) => void,
  ): Promise<ClaimOutcome> {
    // Peers that we cannot reach may know a lease of this site, so its first lease is decided by the full set; so is the next one
    // when all members of the last are gone for good.
    const deciding = base !== undefined && this.#isLeft(base) ? base.members : this.#needs.fullSet(site)
    const before = electoratesAfter(base, base !== undefined && this.#needs.isEstablished(site, base.epoch))
    // Too many failed epochs in a row: wait until a member of one of them is back.
    if (before.length > electoratesMax) return refused
    const own = { epoch: epochOf(base) + 1, holder: this.#needs.self, members: desired, before }
    const { ballot, promises } = await this.#prepare(site, base, deciding)
    if (!this.#isEnough(deciding, promises)) return refusalOf(promises)
    const proposal = this.#toBeFinished(deciding, promises, base, ballot) ?? own
    noteUnconfirmed(proposal)
    const answers = await this.#attempt(deciding, { site, base, ballot, proposal })
    if (!this.#isEnough(deciding, answers)) return refusalOf(answers)
    this.#rounds.delete(site)
    this.#doubts.delete(site)
    await this.#ofAll(union(proposal.members, deciding), (_, member) =>
      member.learn({ site, lease: proposal }),
    )
    return { kind: 'decided', lease: proposal }
  }

  /** Proposes our decided lease once more, so that members who were away vote for it, and those who doubt it find a second peer
   * that confirms it. Proposing a value that was chosen is safe with any ballot. */
  async tellAgain(site: SiteId, decided: Lease): Promise<void> {
    const [before] = decided.before
    if (before === undefined) return
    const others = before.members.filter((peer) => peer !== this.#needs.self)
    await this.#ofAll(others, async (_, member) => {
      const { decided: base } = await member.recall(site)
      if (base?.epoch !== before.epoch || !isSameSet(base.members, before.members)) return
      const answer = await member.attempt({ site, base, ballot: this.#newBallot(site), proposal: decided })
      if (answer.kind === 'agreed') await member.learn({ site, lease: decided })
      else if (answer.kind === 'outbid') this.#heardOf(site, answer.ballot.round)
    })
  }

  layDown(site: SiteId, { epoch, members }: Lease): Promise<void> {
    return this.#ofAll(members, (_, member) => member.layDown({ site, epoch }))
  }

  /** The last decided lease. `open`: a peer reports a later one, and too few answer to confirm or deny it. */
  async #newest(
    site: SiteId,
    known: Lease | undefined,
    reported: readonly Report[],
  ): Promise<{ base: Lease | undefined } | 'open'> {
    const { self, verification } = this.#needs
    let isOpen = false
    for (const [reporter, lease] of reported) {
      if (lease.epoch <= epochOf(known)) break
      const verdict = await verification.examine(site, lease, reporter)
      if (verdict === 'confirmed') return { base: lease }
      if (verdict === 'undisputed' && !this.#isDoubted(site)) {
        // As one of its members we vote, too, and can do so only for what follows a lease that we know.
        if (lease.members.includes(self)) await verification.confirm(site, lease, reporter)
        return { base: lease }
      }
      if (verdict === 'open') isOpen = true
    }
    // The members of the lease that we know would report a later one.
    if (known !== undefined && this.#isLeft(known)) return { base: known }
    return isOpen ? 'open' : { base: known }
  }

  /** The leases that peers report as decided, the latest first. */
  async #recallAll(site: SiteId, desired: readonly PeerId[], known: Lease | undefined): Promise<Report[]> {
    const reported = new Map<PeerId, Lease>()
    const asked = new Set<PeerId>([this.#needs.self])
    for (let round = 0; round < recallsMax; round++) {
      const later = [...reported.values()].filter(({ epoch }) => epoch > epochOf(known))
      const named = later.map(({ members }) => members)
      const toAsk = union(desired, known?.members ?? this.#needs.fullSet(site), ...named)
        .filter((peer) => !asked.has(peer))
        .slice(0, askedMax - asked.size)
      if (toAsk.length === 0) break
      await this.#ofAll(toAsk, async (peer, member) => {
        asked.add(peer)
        const { decided } = await member.recall(site)
        if (decided !== undefined) reported.set(peer, decided)
      })
    }
    return [...reported].sort(([, one], [, other]) => other.epoch - one.epoch)
  }

  #isDoubted(site: SiteId): boolean {
    const nowMs = this.#needs.clock.monotonicMs()
    const doubt = this.#doubts.get(site)
    if (doubt !== undefined && nowMs - doubt.lastMs < doubtPauseMsMax) {
      doubt.lastMs = nowMs
      return nowMs - doubt.sinceMs > doubtMs
    }
    this.#doubts.delete(site)
    if (this.#doubts.size >= doubtsMax) this.#doubts.delete(this.#doubts.keys().next().value!)
    this.#doubts.set(site, { sinceMs: nowMs, lastMs: nowMs })
    return false
  }

  /** Not all of its members are gone for good. */
  #isLeft({ members }: Lease): boolean {
    return members.some((peer) => !this.#needs.isGone(peer))
  }

  #newBallot(site: SiteId): Ballot {
    const last = this.#rounds.get(site) ?? this.#needs.random.below(firstRounds)
    this.#heardOf(site, last + 1)
    return { round: last + 1, peer: this.#needs.self }
  }

  #heardOf(site: SiteId, round: number): void {
    if (round > this.#needs.clock.nowMs() + roundsAheadMs) return
    const last = this.#rounds.get(site) ?? 0
    this.#rounds.delete(site)
    if (this.#rounds.size >= roundsMax) this.#rounds.delete(this.#rounds.keys().next().value!)
    this.#rounds.set(site, Math.max(last, round))
  }

  /** An attempt that was outbid tries once more at once, with a higher ballot. */
  async #prepare(
    site: SiteId,
    base: Lease | undefined,
    deciding: readonly PeerId[],
  ): Promise<{ ballot: Ballot; promises: Map<PeerId, AttemptAnswer> }> {
    for (let isAgain = false; ; isAgain = true) {
      const ballot = this.#newBallot(site)
      const promises = await this.#attempt(deciding, { site, base, ballot, proposal: undefined })
      const isOutbid = [...promises.values()].some(({ kind }) => kind === 'outbid')
      if (isAgain || !isOutbid || this.#isEnough(deciding, promises)) return { ballot, promises }
    }
  }

  async #attempt(peers: readonly PeerId[], attempt: Attempt): Promise<Map<PeerId, AttemptAnswer>> {
    const answers = new Map<PeerId, AttemptAnswer>()
    await this.#ofAll(peers, async (peer, member) => {
      const answer = asVote(await member.attempt(attempt), attempt)
      answers.set(peer, answer)
      if (answer.kind === 'outbid') this.#heardOf(attempt.site, answer.ballot.round)
    })
    return answers
  }

  /** The accepted value with the highest ballot that can have been chosen: with those that report it and those that did not
   * answer it must reach a majority. */
  #toBeFinished(
    deciding: readonly PeerId[],
    promises: ReadonlyMap<PeerId, AttemptAnswer>,
    base: Lease | undefined,
    ballot: Ballot,
  ): Lease | undefined {
    const accepted: Accepted[] = []
    let promised = 0
    for (const answer of promises.values()) {
      if (answer.kind !== 'agreed') continue
      promised++
      const one = answer.accepted
      if (one && follows(one.lease, base) && isBefore(one.ballot, ballot)) accepted.push(one)
    }
    const silent = deciding.length - promised
    const canBeChosen = ({ lease }: Accepted) =>
      isMajority(silent + accepted.filter((other) => isSame(other.lease, lease)).length, deciding)
    const [latest] = accepted
      .filter(canBeChosen)
      .sort((one, other) => (isBefore(one.ballot, other.ballot) ? 1 : -1))
    return latest?.lease
  }

  #isEnough(deciding: readonly PeerId[], answers: ReadonlyMap<PeerId, AttemptAnswer>): boolean {
    const agrees = (peer: PeerId) => answers.get(peer)?.kind === 'agreed'
    const present = deciding.filter((peer) => agrees(peer) || !this.#needs.isGone(peer))
    return isMajority(present.filter(agrees).length, present)
  }

  /** Peers that do not answer are left out. */
  async #ofAll(
    peers: readonly PeerId[],
    ask: (peer: PeerId, member: MemberClient) => Promise<unknown>,
  ): Promise<void> {
    await Promise.all(
      peers.map(async (peer) => {
        try {
          await ask(peer, this.#needs.member(peer))
        } catch (error) {
          if (!(error instanceof PolyhistorError)) throw error
        }
      }),
    )
  }
}

function refusalOf(answers: ReadonlyMap<PeerId, AttemptAnswer>): ClaimOutcome {
  const bound = [...answers.values()].filter((answer) => answer.kind === 'bound')
  return {
    kind: 'refused',
    bound: bound.map(({ to }) => to),
    leftMs: bound.length === 0 ? undefined : Math.min(...bound.map(({ leftMs }) => leftMs)),
    isDoubted: [...answers.values()].some(({ kind }) => kind === 'unsure'),
  }
}

/** A member that knows the epoch in question as decided counts as a vote for that lease, with the highest ballot. */
function asVote(answer: AttemptAnswer, { base, ballot, proposal }: Attempt): AttemptAnswer {
  if (answer.kind !== 'decided' || !follows(answer.decided, base)) return answer
  if (proposal !== undefined)
    return isSame(proposal, answer.decided) ? { kind: 'agreed', accepted: undefined } : answer
  const latest = { round: ballot.round, peer: '' }
  return { kind: 'agreed', accepted: { ballot: latest, lease: answer.decided } }
}

/** The lease that two other peers know as the last, where nobody confirms the later one, or the other one of that epoch, that we
 * believed in. A member that votes for two values can cause this, and a record of ours that is damaged. Going on from there is
 * safe: had a later one been chosen, the majority that is asked would report it. */
function agreedInstead(known: Lease, reported: readonly Report[]): Lease | undefined {
  const [, agreed] =
    reported.find(([reporter, one]) => {
      const isAgreed = reported.some(([other, two]) => other !== reporter && isSame(one, two))
      return isAgreed && one.epoch <= known.epoch && !isSame(one, known)
    }) ?? []
  return agreed
}

const refused: ClaimOutcome = { kind: 'refused', bound: [], leftMs: undefined, isDoubted: false }
