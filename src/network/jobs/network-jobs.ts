// The jobs of a whole network: begun, paused, followed and ended on any peer, worked on by all.
//
// A job is an announcement (job-announcement.ts); every frontier follows it (shared-jobs.ts). The owner of the job's id on the
// ring coordinates it (job-coordinator.ts): sends its seeds to those who crawl their sites, shares out its page budget, detects
// and announces its end. When that peer leaves, the next owner takes over and polls all peers. A job's counts are the sum over
// all peers; each peer has its own log of URLs.

import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { NoSuchJob } from '../../crawl/frontier/jobs/job-table.ts'
import { endOf, jobOptions, type PeerJobs } from '../../crawl/jobs/peer-jobs.ts'
import type {
  JobDetails,
  JobLogFilter,
  JobLogLine,
  JobRequest,
  JobService,
  JobView,
} from '../../model/jobs/job-service.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Url } from '../../model/url/url.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import type { Announcements } from '../announcements/announcements.ts'
import type { ForwardedLink } from '../link-delivery/forwarded-link.ts'
import { PeerPresence } from '../membership/presence/peer-presence.ts'
import type { RoleAuthority } from '../roles/role-authority.ts'
import {
  type JobAnnouncement,
  type JobSums,
  runIdOf,
  runOptions,
  writeJobAnnouncement,
} from './job-announcement.ts'
import { JobCoordinator, type JobCoordinatorOptions } from './job-coordinator.ts'
import { JobProgress } from './job-progress.ts'
import { type Acceptance, SharedJobs } from './shared-jobs.ts'

export interface NetworkJobsNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Of the service `jobs`. */
  readonly calls: CallService
  readonly announcements: Announcements
  readonly places: {
    readonly self: PeerId
    isOwner(key: RingKey): boolean
    peers(): readonly PeerId[]
    members(): readonly PeerId[]
    isGone(peer: PeerId): boolean
  }
  readonly frontier: Frontier
  /** The jobs of this peer alone, for its counts and its log. */
  readonly local: Pick<PeerJobs, 'list' | 'countsOf' | 'details' | 'log' | 'trouble'>
  /** Resolves with whether the links are safe with those who crawl their sites; else they may be by and by. */
  forward(links: readonly ForwardedLink[], stop: AbortSignal): Promise<boolean>
  /** Links of a job that wait to be sent. */
  waitingOf(jobId: string): number
  /** Sites that are on their way here or from here: what is queued for them is in no frontier now. */
  unsettledSites(): number
  /** Who may begin which jobs; everybody all, where it is not given. */
  readonly authority?: Pick<RoleAuthority, 'mayBegin' | 'checkBegin' | 'onChange'> | undefined
  /** Something was begun or goes on. */
  wake(): void
}

export interface NetworkJobsOptions extends JobCoordinatorOptions {
  /** How long to wait for a peer's answer. */
  readonly answerMs: number
}

const networkJobsDefaults: NetworkJobsOptions = { roundMs: 1_000, settleMs: 5_000, answerMs: 3_000 }

/** The job waits for those who are not named. */
const absentMax = 1_000

export class NetworkJobs implements JobService {
  readonly #needs: NetworkJobsNeeds
  readonly #jobs: SharedJobs
  readonly #progress: JobProgress
  readonly #presence: PeerPresence
  readonly #care: JobCoordinator

  constructor(needs: NetworkJobsNeeds, options: Partial<NetworkJobsOptions> = {}) {
    const all = { ...networkJobsDefaults, ...options }
    this.#needs = needs
    this.#jobs = new SharedJobs({ ...needs, self: needs.places.self })
    this.#progress = new JobProgress(needs, all.answerMs)
    this.#presence = new PeerPresence(needs)
    const parts = { jobs: this.#jobs, progress: this.#progress, presence: this.#presence }
    this.#care = new JobCoordinator({ ...needs, ...parts }, all)
  }

  /** Before anything is crawled: the frontier follows the network from now on. */
  async open(): Promise<void> {
    await this.#presence.arrive()
    await this.#jobs.shareOwn()
    this.#jobs.followAll()
    this.#care.start()
  }

  /** This peer has got its places. */
  arrive(): Promise<void> {
    return this.#presence.arrive()
  }

  /** `isEmpty`: nothing is left here that other peers wait for. */
  async close(options: { isEmpty: boolean }): Promise<void> {
    await this.#care.close()
    if (options.isEmpty) await this.#presence.takeLeave()
    this.#presence.close()
    this.#jobs.close()
  }

  /** What rules held back may be allowed now. */
  rulesChanged(): void {
    this.#care.rulesChanged()
  }

  /** How many peers take part; undefined while that is not known. */
  participants(): number | undefined {
    return this.#presence.participants()
  }

  /** Whether links of a job are to be taken that this peer sent. */
  accept(jobId: string, from: PeerId): Promise<Acceptance> {
    return this.#jobs.accept(jobId, from)
  }

  adopt(jobId: string, url: Url): Promise<void> {
    return this.#jobs.adopt(jobId, url)
  }

  /** Links of the job came or went. */
  noteActivity(jobId: string): void {
    this.#progress.noteActivity(jobId)
  }

  async list(): Promise<JobView[]> {
    const shared = await Promise.all(this.#jobs.all().map((job) => this.#listed(job)))
    const ids = new Set(shared.map(({ id }) => id))
    const own = this.#needs.local.list().filter(({ id }) => !ids.has(id))
    return [...shared, ...own].sort((left, right) => right.createdAtMs - left.createdAtMs)
  }

  async find(id: string): Promise<JobView | undefined> {
    const job = this.#jobs.find(id)
    return job === undefined ? this.#needs.local.list().find((own) => own.id === id) : this.#view(job)
  }

  /** A new one begins, a paused one goes on, one that was done begins anew. */
  async start(request: JobRequest): Promise<JobView> {
    const options = jobOptions(request)
    this.#needs.authority?.checkBegin(options.budgets.pages)
    const { priority = 'normal' } = request
    const before = this.#jobs.findByOptions(options)
    if (before !== undefined && before.state !== 'done' && !this.#isHeld(before)) {
      if ((before.priority ?? 'normal') !== priority)
        return this.#change(runIdOf(before), (job) => ({ ...job, priority, state: 'running' }))
      return before.state === 'running' ? this.#view(before) : this.resume(runIdOf(before))
    }
    const run = before === undefined ? 0 : before.run + 1
    const createdAtMs = this.#needs.clock.nowMs()
    const absent = this.#presence.awaited().slice(0, absentMax)
    const starter = this.#jobs.starter({ options, run })
    const job: JobAnnouncement = {
      ...{ options, run, state: 'running', createdAtMs, isSeeded: false, absent },
      startedBy: starter,
      ...(priority !== 'normal' && { priority }),
    }
    // An invalid job is refused here, before it is announced.
    writeJobAnnouncement(job)
    const { frontier } = this.#needs
    frontier.jobs.join(runOptions(job))
    try {
      await this.#jobs.put(job)
    } catch (error) {
      frontier.jobs.settle(runIdOf(job), 'done', 'it could not be told to others')
      throw error
    }
    return this.#view(job)
  }

  async details(id: string): Promise<JobDetails> {
    const job = this.#jobs.find(id)
    const own = this.#needs.local.details(id)
    return job === undefined ? own : { ...own, peers: await this.#progress.peers(id, job.departed) }
  }

  async last(request: JobRequest): Promise<JobView | undefined> {
    const job = this.#jobs.findByOptions(jobOptions(request))
    return job && this.#listed(job)
  }

  pause(id: string): Promise<JobView> {
    return this.#change(id, (job) => (job.state === 'running' ? { ...job, state: 'paused' } : job))
  }

  resume(id: string): Promise<JobView> {
    return this.#change(id, (job) => (job.state === 'paused' ? { ...job, state: 'running' } : job))
  }

  cancel(id: string): Promise<JobView> {
    return this.#change(id, async (job) => {
      if (job.state === 'done') return job
      return { ...job, state: 'done', ending: 'cancelled', sums: await this.#progress.sums(id, job.departed) }
    })
  }

  log(filter: JobLogFilter): AsyncIterable<JobLogLine> {
    return this.#needs.local.log(filter)
  }

  /** What keeps this peer from crawling does not keep the others. */
  trouble(): ReturnType<JobService['trouble']> {
    return this.#needs.places.peers().length > 0 ? undefined : this.#needs.local.trouble()
  }

  async #change(
    id: string,
    change: (job: JobAnnouncement) => JobAnnouncement | Promise<JobAnnouncement>,
  ): Promise<JobView> {
    const job = this.#jobs.find(id)
    if (job === undefined) throw new NoSuchJob(id)
    const changed = await change(job)
    if (changed !== job) await this.#jobs.put(changed)
    return this.#view(changed)
  }

  /** Nobody works on it: who began it may not. Others who may begin a run of their own. */
  #isHeld({ startedBy, options }: JobAnnouncement): boolean {
    return this.#needs.authority?.mayBegin(startedBy.peer, options.budgets.pages) === false
  }

  /** Of many, those that have ended are not asked about. */
  #listed(job: JobAnnouncement): JobView | Promise<JobView> {
    return job.sums === undefined ? this.#view(job) : this.#viewWith(job, job.sums)
  }

  async #view(job: JobAnnouncement): Promise<JobView> {
    const now = await this.#progress.sums(runIdOf(job), job.departed)
    // What a job came to is written down when it ends: some who worked on it may be gone by now.
    const view = this.#viewWith(job, job.sums === undefined ? now : { ...job.sums, underWay: now.underWay })
    if (job.state !== 'running') return view
    const absent = new Set(job.absent)
    return { ...view, awaited: this.#presence.awaited().filter((peer) => !absent.has(peer)).length }
  }

  /** Missing parts are known for this peer's own share only. */
  #viewWith(job: JobAnnouncement, sums: JobSums): JobView {
    const { options, state, ending, createdAtMs, priority = 'normal' } = job
    const id = runIdOf(job)
    const missed = this.#needs.frontier.jobs.find(id)?.missed
    const end = endOf({ state, ending, counters: sums.counters, missed })
    return { id, ...options, priority, state, ending, ...end, createdAtMs, ...sums }
  }
}
