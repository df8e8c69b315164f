// Member client: the lease holder's side of one member: what it granted us, and until when.
//
// Invariant: `hasGranted` is true only while the grant runs at the member, however late its answers come: time is counted from
// before the request was sent, shortened by the clock drift.

import { flags } from '../../formats/wire/message-fields.ts'
import type { Times } from '../../formats/wire/message-schema.ts'
import { Batcher, momentMs } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LeaseTerms, Recollection, SiteId } from './lease.ts'
import {
  type Attempt,
  type AttemptAnswer,
  attemptAnswers,
  memberQuestion,
  memberSession,
  type Question,
  recollections,
  type SiteEpoch,
  type SiteLease,
  sitesMax,
} from './wire/questions.ts'

/** Rejects with a PolyhistorError when the member does not answer. */
type AskMember = (question: Uint8Array) => Promise<Uint8Array>

export class MemberClient {
  readonly #clock: Clock
  readonly #ask: AskMember
  readonly #terms: LeaseTerms
  readonly #attempting: Batcher<Attempt, AttemptAnswer>
  readonly #recalling: Batcher<SiteId, Recollection>
  readonly #teaching: Batcher<SiteLease, void>
  readonly #layingDown: Batcher<SiteEpoch, void>
  #session = 0
  #untilMs = Number.NEGATIVE_INFINITY
  #attested = new Set<SiteId>()
  /** Counts releases: an answer to a request sent before the last one is out of date. */
  #layDowns = 0
  #renewing: Promise<void> | undefined
  #renewingNext: Promise<void> | undefined

  constructor(needs: { clock: Clock; ask: AskMember }, terms: LeaseTerms) {
    this.#clock = needs.clock
    this.#ask = needs.ask
    this.#terms = terms
    const questions = <Item, Answer = void>(
      question: (items: Item[]) => Question,
      answers?: Pick<Times<Answer>, 'decode'>,
    ) =>
      new Batcher<Item, Answer>(needs, { itemsMax: sitesMax, waitMs: momentMs }, async (items) => {
        const answer = await this.#ask(memberQuestion.encode(question(items)))
        return answers?.decode(answer, items.length) ?? []
      })
    this.#attempting = questions((attempts) => ({ kind: 'attempt', attempts }), attemptAnswers)
    this.#recalling = questions((sites) => ({ kind: 'recall', sites }), recollections)
    this.#teaching = questions((sites) => ({ kind: 'learn', sites }))
    this.#layingDown = questions((sites) => ({ kind: 'lay-down', sites }))
  }

  /** Whether the grant holds now and for `forMs` longer. */
  hasGranted(site: SiteId, forMs = 0): boolean {
    return this.#attested.has(site) && this.#clock.monotonicMs() + forMs < this.#untilMs
  }

  /** The member renews our grant, and not for this site. */
  hasRefused(site: SiteId): boolean {
    return !this.#attested.has(site) && this.#clock.monotonicMs() < this.#untilMs
  }

  recall(site: SiteId): Promise<Recollection> {
    return this.#recalling.add(site)
  }

  attempt(attempt: Attempt): Promise<AttemptAnswer> {
    return this.#attempting.add(attempt)
  }

  learn(decided: SiteLease): Promise<void> {
    return this.#teaching.add(decided)
  }

  /** From this call on the grant does not count. */
  layDown(site: SiteEpoch): Promise<void> {
    this.#attested.delete(site.site)
    this.#layDowns++
    return this.#layingDown.add(site)
  }

  /** Renews the grant for those of these sites that the member agrees to. One renewal runs at a time; all callers meanwhile share
   * the next one. */
  renew(sites: () => Iterable<SiteId>): Promise<void> {
    if (this.#renewing === undefined) {
      this.#renewing = this.#renew(sites).finally(() => {
        this.#renewing = undefined
      })
      return this.#renewing
    }
    this.#renewingNext ??= this.#renewing
      .catch(() => {})
      .then(() => {
        this.#renewingNext = undefined
        return this.renew(sites)
      })
    return this.#renewingNext
  }

  async #renew(sites: () => Iterable<SiteId>): Promise<void> {
    const sentMs = this.#clock.monotonicMs()
    const session = memberSession.decode(
      await this.#ask(memberQuestion.encode({ kind: 'renew', session: this.#session })),
    )
    if (session !== this.#session) this.#attested = new Set()
    this.#session = session
    this.#untilMs = sentMs + this.#terms.leaseMs * (1 - this.#terms.clockDrift)
    const missing = [...sites()].filter((site) => !this.#attested.has(site))
    for (let start = 0; start < missing.length; start += sitesMax) {
      await this.#attest(session, missing.slice(start, start + sitesMax))
    }
  }

  async #attest(session: number, sites: SiteId[]): Promise<void> {
    const layDowns = this.#layDowns
    const answer = await this.#ask(memberQuestion.encode({ kind: 'attest', session, sites }))
    if (session !== this.#session || layDowns !== this.#layDowns) return
    flags.decode(answer, sites.length).forEach((isOurs, index) => {
      if (isOurs) this.#attested.add(sites[index]!)
    })
  }
}
