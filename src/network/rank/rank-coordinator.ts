// Rank coordinator: begins runs, when this peer is the one to do so, and sees them through.
//
// That is the owner of one place of the ring; when it dies its successor is, and begins a run when ranks get too old. A run is tried
// with all peers that are there. When it does not get on, everybody is asked whom they wait for: who does not answer, or is waited
// for by most, is left out of the next try. So neither a dead peer nor one that keeps silent on purpose holds up ranks for good.
//
// What a peer that is left out would compute its successor does, which has copies of its pages. So only as many are left out as there
// are copies, but one: with more some links would be missing, and ranks wrong. Then the ring has to notice first who is gone.
//
// Bounded: tries of a run; after them the next run is waited for.

import { PolyhistorError, unlessFails } from '../../errors.ts'
import { readableOr } from '../../formats/wire/message-bytes.ts'
import { type RingKey, ringKeyOf } from '../../model/ring-key.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { RankTerms } from '../../rank/rank-parts.ts'
import type { RankParticipant } from './rank-participant.ts'
import { type PartState, participantsMax, partState, type RankPlan, rankQuestion } from './rank-questions.ts'

/** Its owner begins runs. */
export const coordinatorPlace: RingKey = ringKeyOf('rank')

export interface CoordinatorNeeds {
  readonly self: PeerId
  readonly calls: Pick<CallService, 'call'>
  readonly clock: Clock
  readonly participant: RankParticipant
  isCoordinator(peer: PeerId): boolean
  /** Everybody who is there now, with ourselves. */
  positions(): readonly { readonly peer: PeerId; readonly place: RingKey }[]
  /** Of each page on the ring, with its owner's. */
  readonly copies: number
  /** When the last run that came to its end here began. */
  computedMs(): number
}

export interface CoordinatorOptions extends RankTerms {
  /** Ranks are never older, as long as peers are there to compute them. */
  readonly maxAgeMs: number
}

const lookMsMax = 60_000
const triesMax = 10
const answerMs = 10_000
/** Nothing has moved for so long: somebody is asked why. */
const stallMs = 20_000
/** A run is begun when ranks are half as old as they may be: it takes its time, and may fail. */
const dueShare = 0.5

export class RankCoordinator {
  readonly #needs: CoordinatorNeeds
  readonly #options: CoordinatorOptions
  readonly #task: PeriodicTask
  readonly #stop = new AbortController()

  constructor(needs: CoordinatorNeeds, options: CoordinatorOptions) {
    this.#needs = needs
    this.#options = options
    const lookMs = Math.min(lookMsMax, (options.maxAgeMs * dueShare) / 2)
    this.#task = new PeriodicTask(needs, lookMs, () => this.#look())
  }

  async close(): Promise<void> {
    this.#stop.abort(new PolyhistorError('rank-given-up', 'This peer stops'))
    await this.#task.close()
  }

  async #look(): Promise<void> {
    const { self, clock, isCoordinator, computedMs } = this.#needs
    const isDue = clock.nowMs() - computedMs() >= this.#options.maxAgeMs * dueShare
    if (isDue && isCoordinator(self)) await this.#run()
  }

  async #run(): Promise<void> {
    const { clock, participant, copies } = this.#needs
    const run = Math.max(clock.nowMs(), participant.lastRun + 1)
    const without = new Set<PeerId>()
    for (let round = 0; round < triesMax && without.size < copies && !this.#stop.signal.aborted; round++) {
      const plan = this.#plan(run, round, without)
      const silent = await this.#begin(plan)
      for (const peer of silent) without.add(peer)
      if (silent.length > 0) continue
      const left = await this.#seeThrough(plan)
      if (left === undefined) return
      for (const peer of left) without.add(peer)
    }
  }

  #plan(run: number, round: number, without: ReadonlySet<PeerId>): RankPlan {
    const { self } = this.#needs
    const all = this.#needs.positions().filter(({ peer }) => !without.has(peer))
    const peers = [...new Set([self, ...all.map(({ peer }) => peer)])].slice(0, participantsMax)
    const participants = peers.sort()
    const positions = all
      .map(({ peer, place }) => ({ place, participant: participants.indexOf(peer) }))
      .filter(({ participant }) => participant !== -1)
      .sort((one, other) => (one.place < other.place ? -1 : 1))
    const { damping, seeds, tolerance } = this.#options
    return { run, round, participants, positions, damping, seeds, tolerance }
  }

  /** Resolves with those who do not take part. */
  async #begin(plan: RankPlan): Promise<PeerId[]> {
    const { self, participant } = this.#needs
    const question = rankQuestion.encode({ kind: 'begin', ...plan })
    const others = plan.participants.filter((peer) => peer !== self)
    const answers = await Promise.all(others.map((peer) => unlessFails(this.#call(peer, question))))
    const silent = others.filter((_, at) => answers[at] === undefined)
    if (silent.length === 0) participant.begin(self, plan)
    return silent
  }

  /** Resolves with those to leave out next time, or undefined when there is no next time to be: all is done, or we stop. */
  async #seeThrough(plan: RankPlan): Promise<PeerId[] | undefined> {
    const { clock, participant } = this.#needs
    let seen = ''
    for (;;) {
      const isEnded = await ended(participant, clock, stallMs, this.#stop.signal)
      const state = participant.state(plan.run, plan.round)
      if (state.kind !== 'working' || this.#stop.signal.aborted) return undefined
      const now = `${state.step} ${state.lacking.length}`
      if (!isEnded && now !== seen) {
        seen = now
        continue
      }
      return this.#whoHoldsUp(plan)
    }
  }

  async #whoHoldsUp(plan: RankPlan): Promise<PeerId[]> {
    const { self, participant } = this.#needs
    const { run, round, participants } = plan
    const question = rankQuestion.encode({ kind: 'state', run, round })
    const states = await Promise.all(
      participants.map(async (peer): Promise<PartState | undefined> => {
        if (peer === self) return participant.state(run, round)
        const answer = await unlessFails(this.#call(peer, question))
        return answer && partStateOf(answer)
      }),
    )
    const silent = participants.filter((_, at) => states[at] === undefined || states[at].kind === 'absent')
    if (silent.length > 0) return silent
    const complaints = new Map<number, number>()
    for (const state of states)
      for (const part of state?.kind === 'working' ? state.lacking : [])
        complaints.set(part, (complaints.get(part) ?? 0) + 1)
    const [worst] = [...complaints].sort((one, other) => other[1] - one[1])
    const peer = worst && participants[worst[0]]
    return peer === undefined || peer === self ? [] : [peer]
  }

  #call(peer: PeerId, question: Uint8Array): Promise<Uint8Array> {
    return this.#needs.calls.call(peer, question, { deadlineMs: answerMs, signal: this.#stop.signal })
  }
}

/** What is no answer is as good as none. */
function partStateOf(bytes: Uint8Array): PartState | undefined {
  return readableOr(() => partState.decode(bytes), undefined)
}

/** Whether the try ended within the time. */
async function ended(
  participant: RankParticipant,
  clock: Clock,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const late = clock.sleep(ms, signal).then(
    () => false,
    () => true,
  )
  return Promise.race([participant.ended().then(() => true), late])
}
