// Shared jobs: the jobs of the network as its notices tell of them, and this peer's frontier following them.
//
// Invariants: of each job the latest run is in the frontier unless it has ended before we heard of it; runs before it are ended,
// and forgotten once nothing of them is out. A job that came with a site is followed like any other.

import type { CrawlJob, JobOptions } from '../../crawl/frontier/crawl-job.ts'
import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { freshJobId, openFreshJob } from '../../crawl/recrawl/keeping-fresh.ts'
import { PolyhistorError } from '../../errors.ts'
import { tryParseUrl, type Url } from '../../record/url.ts'
import type { Notice } from '../../replica/notices/notice.ts'
import type { Notices } from '../../replica/notices/notices.ts'
import type { Log } from '../../world/log.ts'
import type { PeerId } from '../../world/network.ts'
import {
  formerIdsOf,
  type JobNotice,
  jobKind,
  nameOf,
  readJobNotice,
  runIdOf,
  runOptions,
  writeJobNotice,
} from './job-notice.ts'

/** `later`: it is not known yet. */
export type Acceptance = 'yes' | 'no' | 'later'

export interface SharedJobsNeeds {
  readonly notices: Notices
  readonly frontier: Frontier
  readonly self: PeerId
  readonly log: Log
  /** Something goes on. */
  wake(): void
}

/** Where seeds redirected to, outside of the scope: named by job and URL. */
const seedKind = 'seed'

export class SharedJobs {
  readonly #needs: SharedJobsNeeds
  /** By the name that all runs share. */
  readonly #jobs = new Map<string, JobNotice>()
  /** Names by the id of the present run. */
  readonly #names = new Map<string, string>()
  readonly #former = new Set<string>()
  readonly #stop: () => void

  constructor(needs: SharedJobsNeeds) {
    this.#needs = needs
    for (const notice of needs.notices.all(jobKind)) this.#learn(notice)
    this.#stop = needs.notices.onChange((notice) => this.#noticed(notice))
  }

  close(): void {
    this.#stop()
  }

  all(): JobNotice[] {
    return [...this.#jobs.values()]
  }

  /** By the id of its present run. */
  find(id: string): JobNotice | undefined {
    const name = this.#names.get(id)
    return name === undefined ? undefined : this.#jobs.get(name)
  }

  findByOptions(options: JobOptions): JobNotice | undefined {
    return this.#jobs.get(nameOf(options))
  }

  /** From now on it stands like this, for everybody. */
  async put(notice: JobNotice): Promise<void> {
    await this.#needs.notices.put(jobKind, nameOf(notice.options), writeJobNotice(notice))
  }

  /** Jobs that were begun when this peer was alone are the network's from now on. */
  async shareOwn(): Promise<void> {
    for (const job of this.#needs.frontier.jobs()) {
      const { options, state, createdAtMs } = job
      if (!isShared(job) || state === 'done' || this.#jobs.has(nameOf(options))) continue
      const { run = 0, ...rest } = options
      await this.put({ options: rest, run, state, createdAtMs, isSeeded: true })
    }
  }

  /** The frontier as the notices have it: sites may have brought jobs that were not known here. */
  followAll(): void {
    for (const notice of this.#jobs.values()) this.#follow(notice)
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
      await this.#needs.notices.pull(from)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return 'later'
    }
    // Not even its sender knows it any more.
    return this.#acceptKnown(jobId) ?? 'no'
  }

  /** A seed led there, outside of the job's scope. */
  async adopt(jobId: string, { href }: Url): Promise<void> {
    const name = `${jobId} ${href}`
    if (this.#needs.notices.get(seedKind, name) === undefined)
      await this.#needs.notices.put(seedKind, name, new Uint8Array())
  }

  #acceptKnown(jobId: string): Acceptance | undefined {
    if (this.#former.has(jobId)) return 'no'
    const notice = this.find(jobId)
    if (notice === undefined) return undefined
    if (notice.state === 'done') return 'no'
    this.#follow(notice)
    return this.#needs.frontier.job(jobId) === undefined ? 'later' : 'yes'
  }

  #noticed(notice: Notice): void {
    if (notice.kind === seedKind) this.#adopted(notice)
    if (notice.kind !== jobKind) return
    const job = this.#learn(notice)
    if (job === undefined) return
    this.#follow(job)
    this.#needs.wake()
  }

  #learn({ name, value }: Notice): JobNotice | undefined {
    const job = readJobNotice(value)
    if (job === undefined || nameOf(job.options) !== name) return undefined
    this.#jobs.set(name, job)
    for (const id of formerIdsOf(job)) {
      this.#former.add(id)
      this.#names.delete(id)
    }
    this.#names.set(runIdOf(job), name)
    return job
  }

  #follow(notice: JobNotice): void {
    const { frontier, log } = this.#needs
    const id = runIdOf(notice)
    try {
      if (frontier.job(id) === undefined) {
        if (notice.state === 'done') return
        frontier.joinJob(runOptions(notice))
        for (const seed of this.#needs.notices.all(seedKind)) this.#adopted(seed)
      }
      frontier.settleJob(id, notice.state, notice.ending)
    } catch (error) {
      // Of a later version, say: others work on it.
      if (!(error instanceof PolyhistorError)) throw error
      log.warn({ err: error, jobId: id }, 'A job of the network cannot be worked on here')
    }
  }

  /** A run that is over: nothing of it goes on, and what it knew is of no use. */
  #forget(id: string): void {
    const { frontier } = this.#needs
    if (frontier.job(id) === undefined) return
    frontier.settleJob(id, 'done', 'begun anew')
    if (frontier.leasesOut(id) === 0) frontier.forgetJob(id)
  }

  #adopted({ name }: Notice): void {
    const { frontier } = this.#needs
    const [jobId = '', href = ''] = name.split(' ', 2)
    const url = tryParseUrl(href)
    if (url !== null && frontier.job(jobId) !== undefined) frontier.adoptSeed(jobId, url)
  }
}

/** The job without seeds, which visits again what is known, is each peer's own. */
export function isShared({ options }: Pick<CrawlJob, 'options'>): boolean {
  return options.seeds.length > 0
}
