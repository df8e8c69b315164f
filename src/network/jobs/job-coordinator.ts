// Job coordinator: runs the jobs whose ids this peer owns on the ring: sends seeds, shares out budgets, detects the end.
//
// All peers are polled once a round. Every action is idempotent: two peers may both think that they own a job, and the next owner
// repeats steps after a crash.

import { deniedEnding } from '../../crawl/frontier/held-urls.ts'
import { PolyhistorError, unlessFails } from '../../errors.ts'
import { type RingKey, ringKeyOf } from '../../model/ring-key.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { ForwardedLink } from '../link-delivery/forwarded-link.ts'
import type { PeerPresence } from '../membership/presence/peer-presence.ts'
import { type JobAnnouncement, runIdOf } from './job-announcement.ts'
import { JobEnding } from './job-ending.ts'
import type { JobProgress } from './job-progress.ts'
import { jobsAtOnce, type PeerShare } from './job-shares.ts'
import { allotPages } from './page-allotments.ts'
import type { SharedJobs } from './shared-jobs.ts'

interface JobCoordinatorNeeds {
  readonly clock: Clock
  readonly log: Log
  readonly places: { isOwner(key: RingKey): boolean }
  readonly jobs: SharedJobs
  readonly progress: JobProgress
  readonly presence: PeerPresence
  /** Resolves with whether the links are safe with those who crawl their sites; else they may be by and by. */
  forward(links: readonly ForwardedLink[], stop: AbortSignal): Promise<boolean>
}

export interface JobCoordinatorOptions {
  /** How often everybody is asked about running jobs. The end of a job is known two rounds after it. */
  readonly roundMs: number
  /** A job can end only when no peer has come or gone for this long. */
  readonly settleMs: number
}

export class JobCoordinator {
  readonly #needs: JobCoordinatorNeeds
  readonly #options: JobCoordinatorOptions
  readonly #endings = new Map<string, JobEnding>()
  readonly #seeding = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()
  /** Who was there in the last round, and since when. */
  #there = { peers: '', sinceMs: 0 }
  #rounds: PeriodicTask | undefined
  #areRulesNew = false

  constructor(needs: JobCoordinatorNeeds, options: JobCoordinatorOptions) {
    this.#needs = needs
    this.#options = options
  }

  start(): void {
    this.#rounds = new PeriodicTask(this.#needs, this.#options.roundMs, () => this.#look())
  }

  /** Jobs that ended since rules denied what was left go on; where that is still so they end again. */
  rulesChanged(): void {
    this.#areRulesNew = true
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#rounds?.close()
    await Promise.all(this.#seeding.values())
  }

  async #look(): Promise<void> {
    const { jobs, log } = this.#needs
    try {
      jobs.followAll()
      if (this.#areRulesNew) await this.#resumeDenied()
      const own = jobs.all().filter((job) => job.state === 'running' && this.#isOurs(job))
      this.#forgetOthers(own)
      for (const job of own) if (!job.isSeeded) this.#beginSeeding(job)
      const seeded = own.filter(({ isSeeded }) => isSeeded).slice(0, jobsAtOnce)
      if (seeded.length > 0) await this.#round(seeded)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      log.warn({ err: error }, 'The jobs of the network could not be looked after')
    }
  }

  async #resumeDenied(): Promise<void> {
    const { jobs } = this.#needs
    this.#areRulesNew = false
    for (const job of jobs.all())
      if (job.ending === deniedEnding && this.#isOurs(job))
        await jobs.put({ ...job, state: 'running', ending: undefined, sums: undefined })
  }

  #isOurs(job: JobAnnouncement): boolean {
    return this.#needs.places.isOwner(ringKeyOf(runIdOf(job)))
  }

  #forgetOthers(own: readonly JobAnnouncement[]): void {
    const ids = new Set(own.map(runIdOf))
    for (const id of this.#endings.keys()) if (!ids.has(id)) this.#endings.delete(id)
  }

  /** Beside all else: some of those who crawl the seeds' sites may be away. */
  #beginSeeding(job: JobAnnouncement): void {
    const id = runIdOf(job)
    if (this.#seeding.has(id)) return
    const seeding = this.#seed(job)
      .catch((error: unknown) => this.#needs.log.warn({ err: error, jobId: id }, 'Seeds could not be sent'))
      .finally(() => this.#seeding.delete(id))
    this.#seeding.set(id, seeding)
  }

  async #seed(job: JobAnnouncement): Promise<void> {
    const { jobs, forward } = this.#needs
    const jobId = runIdOf(job)
    const urls = job.options.seeds.flatMap((seed) => tryParseUrl(seed) ?? [])
    const seeds = urls.map((url) => ({ url, kind: 'seed', jobId, depth: 0 }) as const)
    if (!(await forward(seeds, this.#stop.signal))) return
    // As it stands by now.
    const now = jobs.find(jobId)
    if (now !== undefined && now.state !== 'done') await jobs.put({ ...now, isSeeded: true })
  }

  async #round(jobs: readonly JobAnnouncement[]): Promise<void> {
    const { progress, presence } = this.#needs
    const peers = presence.expected()
    const { shares, missing } = await progress.ask(jobs.map(runIdOf), peers)
    const isSettled = this.#isSettled(peers)
    for (const job of jobs) {
      const own = shares.get(runIdOf(job))!
      const absent = stillAbsent(job, missing)
      const isWhole = isSettled && missing.every((peer) => absent.includes(peer))
      const pagesElsewhere = progress.pagesBeside(runIdOf(job), own, job.departed)
      const ending = this.#endingOf(job).look(own, { isSettled, isWhole, pagesElsewhere })
      if (ending !== undefined) await this.#end(job, ending)
      else {
        await this.#allot(job, own, pagesElsewhere)
        await this.#note(job, own, absent)
      }
    }
  }

  /** Whether the same peers have been present for a while: when a peer leaves, the members of its sites may notice later than we
   * do, and what is queued there would not be counted by anybody. */
  #isSettled(peers: readonly PeerId[]): boolean {
    const nowMs = this.#needs.clock.monotonicMs()
    const names = [...peers].sort().join()
    if (names !== this.#there.peers) this.#there = { peers: names, sinceMs: nowMs }
    return nowMs - this.#there.sinceMs >= this.#options.settleMs
  }

  #endingOf(job: JobAnnouncement): JobEnding {
    const id = runIdOf(job)
    let ending = this.#endings.get(id)
    if (ending === undefined) this.#endings.set(id, (ending = new JobEnding(job.options.budgets)))
    return ending
  }

  async #end(job: JobAnnouncement, ending: string): Promise<void> {
    const { jobs, progress } = this.#needs
    const sums = await progress.sums(runIdOf(job), jobs.find(runIdOf(job))?.departed)
    // It may have been paused, say, while everybody was asked.
    if (jobs.find(runIdOf(job))?.state !== 'running') return
    await jobs.put({ ...job, state: 'done', ending, sums })
  }

  /** Records the counts of departed peers with the job, so that they stay counted. A peer that is back reports for itself. */
  async #note(
    job: JobAnnouncement,
    shares: ReadonlyMap<PeerId, PeerShare>,
    absent: readonly PeerId[],
  ): Promise<void> {
    const { jobs, progress } = this.#needs
    const now = jobs.find(runIdOf(job))
    if (now === undefined || now.state === 'done') return
    const departed = progress.departedSince(runIdOf(job), shares, now.departed)
    const isSomebodyBack = absent.length < (now.absent?.length ?? 0)
    if (departed !== undefined || isSomebodyBack)
      await jobs.put({ ...now, departed: departed ?? now.departed, absent })
  }

  async #allot(
    job: JobAnnouncement,
    shares: ReadonlyMap<PeerId, PeerShare>,
    pagesElsewhere: number,
  ): Promise<void> {
    const { progress } = this.#needs
    const { pages } = job.options.budgets
    if (pages === undefined) return
    const id = runIdOf(job)
    const changes = allotPages(pages, shares, pagesElsewhere)
    // Who does not answer gets them next time.
    await Promise.all([...changes].map(([peer, pages]) => unlessFails(progress.allot(id, peer, pages))))
  }
}

/** Of those who were away when the job was begun, and did not answer now either. */
function stillAbsent({ absent = [] }: JobAnnouncement, missing: readonly PeerId[]): PeerId[] {
  return absent.filter((peer) => missing.includes(peer))
}
