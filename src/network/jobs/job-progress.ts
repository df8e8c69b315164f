// Job progress: what this peer has of each job, and what all peers have together.
//
// Polls all peers; answers are cached for a moment. Of silent peers the last counts are used, without what they had left to do:
// that goes to other peers together with their sites.

import type { JobCounters } from '../../crawl/frontier/jobs/crawl-job.ts'
import type { PeerJobs } from '../../crawl/jobs/peer-jobs.ts'
import type { JobPeer } from '../../model/jobs/job-service.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { CallHandler } from '../../platform/calls/calls.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Departed, JobSums } from './job-announcement.ts'
import { askRound, type Round } from './job-rounds.ts'
import {
  noShare,
  type PeerShare,
  readQuestion,
  shareOfDeparted,
  sumOf,
  writeQuestion,
  writeShares,
} from './job-shares.ts'
import type { NetworkJobsNeeds } from './network-jobs.ts'

type JobProgressNeeds = Pick<
  NetworkJobsNeeds,
  'clock' | 'random' | 'calls' | 'frontier' | 'waitingOf' | 'unsettledSites' | 'wake'
> & {
  readonly places: { readonly self: PeerId; peers(): readonly PeerId[] }
  readonly local: Pick<PeerJobs, 'countsOf'>
}

/** How long answers are cached. */
const freshMs = 400
const processMax = 2 ** 47
/** Jobs of which it is remembered what peers said. */
const jobsMax = 1_000
/** Peers that are not there any more and are remembered with a job. */
const departedMax = 100

type Done = Pick<JobCounters, 'fetched' | 'failed' | 'refused'>

export class JobProgress {
  readonly #needs: JobProgressNeeds
  readonly #answerMs: number
  readonly #process: number
  readonly #activity = new Map<string, number>()
  /** What peers said last, by job, also those who are not there any more. */
  readonly #heard = new LruCache<string, Map<PeerId, PeerShare>>({ max: jobsMax })
  readonly #asking = new LruCache<string, { atMs: number; done: Promise<unknown> }>({ max: jobsMax })

  constructor(needs: JobProgressNeeds, answerMs: number) {
    this.#needs = needs
    this.#answerMs = answerMs
    this.#process = needs.random.below(processMax)
    needs.calls.answer(this.#answer)
  }

  /** Records activity for the job that its counters may not show. */
  noteActivity(jobId: string): void {
    this.#activity.set(jobId, (this.#activity.get(jobId) ?? 0) + 1)
  }

  /** What a job has come to, by all who are there and those who were. */
  async sums(jobId: string, departed: Departed = {}): Promise<JobSums> {
    const { clock, places } = this.#needs
    const last = this.#asking.get(jobId)
    if (last === undefined || clock.monotonicMs() - last.atMs > freshMs) {
      const done = this.ask([jobId], places.peers())
      this.#asking.set(jobId, { atMs: clock.monotonicMs(), done })
      await done
    } else await last.done
    return sumOf(this.#all(jobId, departed).values())
  }

  /** What each peer has done and has left, as it said last. */
  async peers(jobId: string, departed: Departed = {}): Promise<JobPeer[]> {
    await this.sums(jobId, departed)
    return [...this.#all(jobId, departed)].map(([peer, { counters }]) => {
      const { fetched, failed, refused, pending, bytes } = counters
      return { peer, fetched, failed, refused, pending, bytes }
    })
  }

  /** Asks these about jobs, jobsAtOnce at most. */
  async ask(jobIds: readonly string[], peers: readonly PeerId[]): Promise<Round> {
    const { places, calls } = this.#needs
    const own = (ids: readonly string[]): PeerShare[] => ids.map((id) => this.own(id))
    const round = await askRound({ self: places.self, calls, own }, jobIds, peers, this.#answerMs)
    for (const [id, shares] of round.shares) this.#remember(id, shares)
    return round
  }

  own(jobId: string): PeerShare {
    const { frontier, local } = this.#needs
    const activity = this.#activity.get(jobId) ?? 0
    const facts = {
      waiting: this.#needs.waitingOf(jobId),
      unsettled: this.#needs.unsettledSites(),
      process: this.#process,
    }
    if (frontier.jobs.find(jobId) === undefined) return noShare({ ...facts, activity })
    const share = frontier.jobs.shareOf(jobId)
    const { queued, fetched, failed, refused } = share.counters
    const done = Math.max(0, queued) + fetched + failed + refused
    return { ...share, ...facts, counts: local.countsOf(jobId), activity: activity + done }
  }

  /** Pages that were fetched by peers that are none of these. */
  pagesBeside(jobId: string, shares: ReadonlyMap<PeerId, PeerShare>, departed: Departed = {}): number {
    const beside = [...this.#all(jobId, departed)].filter(([peer]) => !shares.has(peer))
    return beside.reduce((sum, [, { counters }]) => sum + counters.pages, 0)
  }

  /** What those had done who are none of these; undefined when no more is known than that. */
  departedSince(
    jobId: string,
    shares: ReadonlyMap<PeerId, PeerShare>,
    departed: Departed = {},
  ): Departed | undefined {
    const gone = [...(this.#heard.get(jobId) ?? [])].filter(
      ([peer, { counters }]) => !shares.has(peer) && isMore(counters, departed[peer]?.counters),
    )
    if (gone.length === 0) return undefined
    const more = gone.map(([peer, { counters, counts }]) => [peer, { counters, counts }] as const)
    return Object.fromEntries([...Object.entries(departed), ...more].slice(-departedMax))
  }

  async allot(jobId: string, peer: PeerId, pages: number): Promise<void> {
    const { places, calls } = this.#needs
    if (peer === places.self) this.#allotted(jobId, pages)
    else
      await calls.call(peer, writeQuestion({ kind: 'allot', jobId, pages }), { deadlineMs: this.#answerMs })
  }

  readonly #answer: CallHandler = (from, bytes) => {
    const question = readQuestion(bytes)
    if (question.kind === 'shares') {
      for (const [index, id] of question.jobIds.entries()) this.#heardOf(id).set(from, question.own[index]!)
      return writeShares(question.jobIds.map((id) => this.own(id)))
    }
    this.#allotted(question.jobId, question.pages)
    return new Uint8Array()
  }

  #allotted(jobId: string, pages: number): void {
    const { frontier } = this.#needs
    if (frontier.jobs.find(jobId)?.options.budgets.pages === undefined) return
    frontier.jobs.allotPages(jobId, pages)
    this.#needs.wake()
  }

  #remember(jobId: string, shares: ReadonlyMap<PeerId, PeerShare>): void {
    const heard = this.#heardOf(jobId)
    for (const [peer, share] of heard) if (!shares.has(peer)) heard.set(peer, shareOfDeparted(share))
    for (const [peer, share] of shares) heard.set(peer, share)
  }

  #heardOf(jobId: string): Map<PeerId, PeerShare> {
    let heard = this.#heard.get(jobId)
    if (heard === undefined) this.#heard.set(jobId, (heard = new Map()))
    return heard
  }

  #all(jobId: string, departed: Departed): Map<PeerId, PeerShare> {
    const written = Object.entries(departed).map(([peer, share]) => [peer, shareOfDeparted(share)] as const)
    return new Map([...written, ...(this.#heard.get(jobId) ?? [])])
  }
}

function isMore(counters: JobCounters, before: Done | undefined): boolean {
  const done = ({ fetched, failed, refused }: Done): number => fetched + failed + refused
  return done(counters) > (before === undefined ? 0 : done(before))
}
