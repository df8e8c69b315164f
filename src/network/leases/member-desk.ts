// A member's side: keeps its word towards stewards.
//
// Invariants:
// - As long as a grant to a peer runs, no site of which it is steward is given to another, unless it laid it down.
// - A grant is one for all its sites, renewed as one; a *session* is a time of grants without a gap. What a steward was told in
//   a session is true to the session's end.
// - Grants are not written down: after a start, whoever may have had one is waited for.
// - Towards attempts it is a Paxos acceptor, one instance for each epoch.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Random } from '../../platform/random.ts'
import {
  epochOf,
  isBefore,
  recordOf,
  type SiteId,
  type SiteRecord,
  type StewardTerms,
} from './stewardship.ts'
import type { StewardshipBook } from './stewardship-book.ts'
import {
  type Attempt,
  type AttemptAnswer,
  type Question,
  type SiteEpoch,
  type SiteStewardship,
  writeAttemptAnswers,
  writeRecalled,
  writeSession,
  writeYesNos,
} from './wire/questions.ts'

interface Grant {
  readonly session: number
  untilMs: number
}

/** All but what stewards are asked. */
export type MemberQuestion = Exclude<Question, { kind: 'yield' }>

const sessionsMax = 2 ** 48 - 1
/** Peers with grants; a member of a site hears of few. */
const grantsMax = 10_000

export class MemberDesk {
  readonly #book: StewardshipBook
  readonly #clock: Clock
  readonly #random: Random
  readonly #terms: StewardTerms
  readonly #grants = new Map<PeerId, Grant>()
  /** Before this, anybody may still hold a grant of the process before us. */
  readonly #boundUntilMs: number

  constructor(needs: { book: StewardshipBook; clock: Clock; random: Random }, terms: StewardTerms) {
    this.#book = needs.book
    this.#clock = needs.clock
    this.#random = needs.random
    this.#terms = terms
    this.#boundUntilMs = needs.book.isNew ? 0 : needs.clock.monotonicMs() + terms.grantMs
  }

  async answer(from: PeerId, question: MemberQuestion): Promise<Uint8Array> {
    switch (question.kind) {
      case 'renew':
        return writeSession(this.#renew(from, question.session))
      case 'attest':
        return writeYesNos(this.#attest(from, question.session, question.sites))
      case 'attempt':
        return writeAttemptAnswers(await this.#consider(from, question.attempts))
      case 'learn':
        await this.#learn(question.sites)
        return nothing
      case 'lay-down':
        await this.#layDown(from, question.sites)
        return nothing
      case 'recall':
        return writeRecalled(question.sites.map((site) => this.#book.get(site).decided))
    }
  }

  #renew(peer: PeerId, session: number): number {
    const nowMs = this.#clock.monotonicMs()
    const running = this.#running(peer)
    const grant =
      running?.session === session ? running : { session: 1 + this.#random.below(sessionsMax), untilMs: 0 }
    grant.untilMs = nowMs + this.#terms.grantMs
    if (!running && this.#grants.size >= grantsMax) this.#forgetEnded(nowMs)
    this.#grants.set(peer, grant)
    return grant.session
  }

  #attest(peer: PeerId, session: number, sites: readonly SiteId[]): boolean[] {
    if (this.#running(peer)?.session !== session) {
      throw new PolyhistorError('steward-session-over', 'That grant is over: ask for another', {
        retry: 'later',
      })
    }
    return sites.map((site) => {
      const { decided, isLaidDown, accepted } = this.#book.get(site)
      // Whom else we accepted may be steward by now.
      const isSucceeded = accepted !== undefined && accepted.stewardship.steward !== peer
      return decided?.steward === peer && !isLaidDown && !isSucceeded
    })
  }

  #consider(from: PeerId, attempts: readonly Attempt[]): Promise<AttemptAnswer[]> {
    if (attempts.some(({ ballot }) => ballot.peer !== from))
      throw new PolyhistorError('steward-ballot', 'An attempt is made in the name of another peer')
    return this.#book.change((put) =>
      attempts.map((attempt) => {
        const known = this.#book.get(attempt.site)
        const isBehind = epochOf(attempt.base) > epochOf(known.decided)
        const record = isBehind ? recordOf(attempt.base!) : known
        const answer = this.#answer(from, attempt, record)
        if (answer.kind === 'agreed') put(attempt.site, agreed(record, attempt))
        else if (isBehind) put(attempt.site, record)
        return answer
      }),
    )
  }

  #answer(from: PeerId, { base, ballot, wish }: Attempt, record: SiteRecord): AttemptAnswer {
    const { decided, promised, accepted, isLaidDown } = record
    if (decided && decided.epoch > epochOf(base)) return { kind: 'decided', decided }
    if (promised && isBefore(ballot, promised)) return { kind: 'outbid', ballot: promised }
    if (wish && decided && !isLaidDown && decided.steward !== from) {
      const leftMs = this.#boundTo(decided.steward) - this.#clock.monotonicMs()
      if (leftMs > 0) return { kind: 'bound', to: decided, leftMs }
    }
    return { kind: 'agreed', accepted }
  }

  #learn(sites: readonly SiteStewardship[]): Promise<void> {
    return this.#book.change((put) => {
      for (const { site, stewardship } of sites) {
        if (stewardship.epoch > epochOf(this.#book.get(site).decided)) put(site, recordOf(stewardship))
      }
    })
  }

  #layDown(from: PeerId, sites: readonly SiteEpoch[]): Promise<void> {
    return this.#book.change((put) => {
      for (const { site, epoch } of sites) {
        const record = this.#book.get(site)
        const { decided } = record
        if (decided?.epoch === epoch && decided.steward === from) put(site, { ...record, isLaidDown: true })
      }
    })
  }

  #boundTo(peer: PeerId): number {
    return Math.max(this.#boundUntilMs, this.#grants.get(peer)?.untilMs ?? 0)
  }

  #running(peer: PeerId): Grant | undefined {
    const grant = this.#grants.get(peer)
    return grant && grant.untilMs > this.#clock.monotonicMs() ? grant : undefined
  }

  #forgetEnded(nowMs: number): void {
    for (const [peer, { untilMs }] of this.#grants) if (untilMs <= nowMs) this.#grants.delete(peer)
    if (this.#grants.size >= grantsMax) {
      throw new PolyhistorError('steward-grants-full', 'Too many peers hold grants here', { retry: 'later' })
    }
  }
}

function agreed(record: SiteRecord, { ballot, wish }: Attempt): SiteRecord {
  return { ...record, promised: ballot, accepted: wish ? { ballot, stewardship: wish } : record.accepted }
}

const nothing = new Uint8Array()
