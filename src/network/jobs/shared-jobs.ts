// Shared jobs: the jobs of the network by its announcements, applied to this peer's frontier.
//
// Invariants: of each job the latest run is in the frontier unless it has ended before we heard of it; runs before it are ended,
// and forgotten once nothing of them is out. A job that was learnt by taking over a site is followed like any other.

import type { CrawlJob, JobOptions } from '../../crawl/frontier/jobs/crawl-job.ts'
import { freshJobId, openFreshJob } from '../../crawl/recrawl/recrawl-loop.ts'
import { PolyhistorError } from '../../errors.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { RoleAuthority } from '../roles/role-authority.ts'
import {
  formerIdsOf,
  type JobAnnouncement,
  jobKind,
  nameOf,
  nameOfSeed,
  readJobAnnouncement,
  runIdOf,
  runOptions,
  seedKind,
  seedOf,
  startedBy,
  writeJobAnnouncement,
} from './job-announcement.ts'
import type { NetworkJobsNeeds } from './network-jobs.ts'

/** `later`: it is not known yet. */
export type Acceptance = 'yes' | 'no' | 'later'

type SharedJobsNeeds = Pick<NetworkJobsNeeds, 'announcements' | 'frontier' | 'log' | 'wake'> & {
  readonly self: PeerId
  /** Who may begin which jobs; everybody all, where it is not given. */
  readonly authority?: Pick<RoleAuthority, 'mayBegin' | 'onChange'> | undefined
}

export class SharedJobs {
  readonly #needs: SharedJobsNeeds
  /** By the name that all runs share. */
  readonly #jobs = new Map<string, JobAnnouncement>()
  /** Names by the id of the present run. */
  readonly #names = new Map<string, string>()
  readonly #former = new Set<string>()
  /** Where seeds led, by job. */
  readonly #seeds = new Map<string, Set<string>>()
  readonly #stops: readonly (() => void)[]
  #isOpen = false

  constructor(needs: SharedJobsNeeds) {
    this.#needs = needs
    this.#stops = [
      needs.announcements.follow(seedKind, (announcement) => this.#adopted(announcement)),
      needs.announcements.follow(jobKind, (announcement) => this.#noticed(announcement)),
      needs.authority?.onChange(() => {
        for (const job of this.#jobs.values()) this.#follow(job)
        needs.wake()
      }) ?? (() => {}),
    ]
    this.#isOpen = true
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  /** Signed, for a job that is begun here. */
  starter(job: Pick<JobAnnouncement, 'options' | 'run'>): JobAnnouncement['startedBy'] {
    const { self, announcements } = this.#needs
    return startedBy({ self, sign: (statement) => announcements.sign(statement) }, job)
  }

  all(): JobAnnouncement[] {
    return [...this.#jobs.values()]
  }

  /** By the id of its present run. */
  find(id: string): JobAnnouncement | undefined {
    const name = this.#names.get(id)
    return name === undefined ? undefined : this.#jobs.get(name)
  }

  findByOptions(options: JobOptions): JobAnnouncement | undefined {
    return this.#jobs.get(nameOf(options))
  }

  /** From now on it stands like this, for everybody. */
  async put(announcement: JobAnnouncement): Promise<void> {
    await this.#needs.announcements.put(
      jobKind,
      nameOf(announcement.options),
      writeJobAnnouncement(announcement),
    )
  }

  /** Jobs that were begun when this peer was alone are the network's from now on. */
  async shareOwn(): Promise<void> {
    for (const job of this.#needs.frontier.jobs.all()) {
      const { options, state, createdAtMs } = job
      if (!isShared(job) || state === 'done' || this.#jobs.has(nameOf(options))) continue
      const { run = 0, ...rest } = options
      const starter = this.starter({ options: rest, run })
      await this.put({ options: rest, run, state, createdAtMs, isSeeded: true, startedBy: starter })
    }
  }

  /** The frontier as the announcements have it: sites may have brought jobs that were not known here. */
  followAll(): void {
    for (const announcement of this.#jobs.values()) this.#follow(announcement)
    for (const id of this.#former) this.#forget(id)
  }

  /** Whether links of a job are to be taken. `from`: who sent them, and so must know it. */
  async accept(jobId: string, from: PeerId): Promise<Acceptance> {
    // What pages need that others visit again.
    if (jobId === freshJobId) {
      openFreshJob(this.#needs.frontier)
      return 'yes'
    }
    const known = this.#acceptKnown(jobId)
    if (known !== undefined) return known
    if (from === this.#needs.self) return 'no'
    try {
      await this.#needs.announcements.pull(from)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return 'later'
    }
    // Not even its sender knows it any more.
    return this.#acceptKnown(jobId) ?? 'no'
  }

  /** A seed led there, outside of the job's scope. */
  async adopt(jobId: string, { href }: Url): Promise<void> {
    const name = nameOfSeed({ jobId, href })
    if (this.#needs.announcements.get(seedKind, name) === undefined)
      await this.#needs.announcements.put(seedKind, name, new Uint8Array())
  }

  #acceptKnown(jobId: string): Acceptance | undefined {
    if (this.#former.has(jobId)) return 'no'
    const announcement = this.find(jobId)
    if (announcement === undefined) return undefined
    if (announcement.state === 'done') return 'no'
    this.#follow(announcement)
    return this.#needs.frontier.jobs.find(jobId) === undefined ? 'later' : 'yes'
  }

  #noticed(announcement: Announcement): void {
    const job = this.#learn(announcement)
    // What was known before is followed once all is known.
    if (job === undefined || !this.#isOpen) return
    this.#follow(job)
    this.#needs.wake()
  }

  #learn({ name, value }: Announcement): JobAnnouncement | undefined {
    const job = readJobAnnouncement(value)
    if (job === undefined || nameOf(job.options) !== name) return undefined
    this.#jobs.set(name, job)
    for (const id of formerIdsOf(job)) {
      this.#former.add(id)
      this.#names.delete(id)
    }
    this.#names.set(runIdOf(job), name)
    return job
  }

  #follow(announcement: JobAnnouncement): void {
    const { frontier, log, authority } = this.#needs
    const id = runIdOf(announcement)
    const { startedBy: starter, options } = announcement
    // It goes on should its author get the role that it takes.
    const isHeld = authority?.mayBegin(starter.peer, options.budgets.pages) === false
    try {
      if (frontier.jobs.find(id) === undefined) {
        if (announcement.state === 'done' || isHeld) return
        frontier.jobs.join(runOptions(announcement))
        for (const href of this.#seeds.get(id) ?? []) frontier.jobs.adoptSeed(id, parseUrl(href))
      }
      frontier.jobs.prioritize(id, announcement.priority ?? 'normal')
      const isPaused = isHeld && announcement.state === 'running'
      frontier.jobs.settle(id, isPaused ? 'paused' : announcement.state, announcement.ending)
    } catch (error) {
      // Of a later version, say: others work on it.
      if (!(error instanceof PolyhistorError)) throw error
      log.warn({ err: error, jobId: id }, 'A job of the network cannot be worked on here')
    }
  }

  /** A run that is over: nothing of it goes on, and what it knew is of no use. */
  #forget(id: string): void {
    const { frontier } = this.#needs
    if (frontier.jobs.find(id) === undefined) return
    frontier.jobs.settle(id, 'done', 'begun anew')
    if (frontier.jobs.tasksOut(id) === 0) frontier.jobs.forget(id)
  }

  #adopted(announcement: Announcement): void {
    const { frontier } = this.#needs
    const seed = seedOf(announcement)
    if (seed === undefined) return
    const { jobId, href } = seed
    const hrefs = this.#seeds.get(jobId) ?? new Set()
    this.#seeds.set(jobId, hrefs.add(href))
    if (frontier.jobs.find(jobId) !== undefined) frontier.jobs.adoptSeed(jobId, parseUrl(href))
  }
}

/** The job without seeds, which visits again what is known, is each peer's own. */
function isShared({ options }: Pick<CrawlJob, 'options'>): boolean {
  return options.seeds.length > 0
}
