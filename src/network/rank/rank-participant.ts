// Rank participant: this peer's part in the runs that compute ranks.
//
// One run at a time: a later one, or a later try of the same, ends the one before, and goes on from its ranks (rank-run.ts). Who may
// begin runs is whoever the ring says coordinates them; what a plan claims of positions is checked.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { BadPart } from '../../rank/rank-error.ts'
import type { RankSource } from '../../rank/rank-parts.ts'
import { type RankResult, RankRun } from '../../rank/rank-run.ts'
import { checkPlan, type PagePlaces, PlannedParts } from './planned-parts.ts'
import type { PartState, RankPiece, RankPlan } from './rank-questions.ts'
import { StepExchange, tooEarly } from './step-exchange.ts'

export interface ParticipantNeeds {
  readonly self: PeerId
  readonly calls: Pick<CallService, 'call'>
  readonly clock: Clock
  readonly places: PagePlaces
  readonly source: RankSource
  /** By the ring, as far as this peer sees. */
  isCoordinator(peer: PeerId): boolean
  isPlaceOf(peer: PeerId, place: RingKey): boolean
  /** The rank of the last run. */
  rankOf(href: string): number | undefined
  keep(result: RankResult, runMs: number): Promise<void>
  breathe(): Promise<void>
}

interface Try {
  readonly plan: RankPlan
  readonly exchange: StepExchange
  readonly run: RankRun
  result: Promise<void>
  isDone: boolean
  /** What its part told cannot be so. */
  bad: number | undefined
}

/** Whoever hears no more of a run forgets it. */
const silenceMsMax = 600_000
/** Runs are named by when they began; clocks differ by so much. One from further ahead would outdate all later ones. */
const aheadMsMax = 24 * 60 * 60_000

export class RankParticipant {
  readonly #needs: ParticipantNeeds
  #now: Try | undefined
  #lastRun = 0
  #silence: Timer | undefined

  constructor(needs: ParticipantNeeds) {
    this.#needs = needs
  }

  /** The last run that this peer has heard of. */
  get lastRun(): number {
    return this.#lastRun
  }

  begin(from: PeerId, plan: RankPlan): void {
    const { self, isCoordinator, isPlaceOf } = this.#needs
    if (!isCoordinator(from))
      throw new PolyhistorError('rank-not-coordinator', 'Another peer begins runs', { retry: 'later' })
    checkPlan(plan, (peer, place) => isPlaceOf(peer, place))
    if (!plan.participants.includes(self))
      throw new PolyhistorError('rank-no-part', 'This peer takes no part')
    if (plan.run > this.#needs.clock.nowMs() + aheadMsMax)
      throw new PolyhistorError('rank-malformed', 'The run begins in the future')
    const now = this.#now?.plan
    if (now !== undefined && plan.run === now.run && plan.round === now.round) return
    if (plan.run < this.#lastRun || (plan.run === now?.run && plan.round < now.round))
      throw new PolyhistorError('rank-outdated', 'A later run has begun')
    this.#start(plan)
  }

  accept(from: PeerId, piece: RankPiece): void {
    const { exchange, plan } = this.#now ?? {}
    if (plan === undefined || plan.run < piece.run || (plan.run === piece.run && plan.round < piece.round))
      throw tooEarly()
    if (plan.run !== piece.run || plan.round !== piece.round)
      throw new PolyhistorError('rank-outdated', 'A later run has begun')
    exchange!.accept(from, piece)
    this.#watchSilence()
  }

  state(run: number, round: number): PartState {
    const now = this.#now
    if (now === undefined || now.plan.run !== run || now.plan.round !== round) return { kind: 'absent' }
    if (now.isDone) return { kind: 'done' }
    const lacking = now.bad === undefined ? now.exchange.lacking() : [now.bad]
    return { kind: 'working', step: now.exchange.step, lacking }
  }

  /** Resolves when the try that is under way has ended, well or not. */
  async ended(): Promise<void> {
    await this.#now?.result
  }

  async close(): Promise<void> {
    this.#silence?.cancel()
    this.#give('This peer stops')
    await this.ended()
  }

  #start(plan: RankPlan): void {
    const { self, calls, clock, places, source, rankOf, breathe } = this.#needs
    this.#give('Another run has begun')
    const before = this.#now
    const earlier = before?.isDone === false ? before.run : undefined
    const exchange = new StepExchange({ calls, clock, self }, plan)
    const { damping, seeds, tolerance } = plan
    const run = new RankRun(
      {
        parts: new PlannedParts(plan, self, places),
        exchange,
        source,
        startOf: (href) => earlier?.rankOf(href) ?? rankOf(href),
        breathe,
      },
      { damping, seeds, tolerance },
    )
    this.#lastRun = plan.run
    const current: Try = { plan, exchange, run, isDone: false, bad: undefined, result: Promise.resolve() }
    this.#now = current
    current.result = this.#carryOut(current, before?.result)
    this.#watchSilence()
  }

  async #carryOut(current: Try, before: Promise<void> | undefined): Promise<void> {
    try {
      await before
      const result = await current.run.run()
      await this.#needs.keep(result, current.plan.run)
      current.isDone = true
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      if (error instanceof BadPart) current.bad = error.part
    }
  }

  #give(reason: string): void {
    this.#now?.exchange.end(new PolyhistorError('rank-given-up', reason, { retry: 'later' }))
  }

  #watchSilence(): void {
    this.#silence?.cancel()
    this.#silence = this.#needs.clock.after(silenceMsMax, () => {
      this.#give('Nothing was heard of the run')
    })
  }
}
