// Frontier sites: a frontier as those see it who share its sites out among several frontiers.
//
// Each site is in one of them at a time, which is for the caller to see to; the others may keep copies of its entries. Here
// are what that takes: how far each site has come, what changes, reading, bringing in and taking away.

import type { RingKey } from '../../../model/ring-key.ts'
import type { SteadyClock } from '../../../platform/steady-clock.ts'
import type { FetchScheduler } from '../fetch-scheduler.ts'
import type { FrontierTables } from '../frontier-tables.ts'
import { type JobOptions, jobIdOf } from '../jobs/crawl-job.ts'
import { jobIdIn } from './entry-names.ts'
import type { SiteKeeper } from './site-gate.ts'
import { prefixOfSite } from './site-keys.ts'
import type { SiteLoads } from './site-loads.ts'
import type { SiteChanges, SiteHead, SiteStage } from './site-log.ts'
import {
  bringIn,
  leaveAlone,
  readSite,
  type SiteEntry,
  type SitePiece,
  takeAway,
  takeHeadAway,
} from './site-transfer.ts'

interface Needs {
  tables: FrontierTables
  scheduler: FetchScheduler
  clock: SteadyClock
  loads: SiteLoads
}

/** Where a site begins that no frontier shared before. */
const first: SiteStage = { epoch: 0, sequence: 1 }

export class FrontierSites {
  readonly #tables: FrontierTables
  readonly #scheduler: FetchScheduler
  readonly #clock: SteadyClock
  readonly #loads: SiteLoads

  constructor({ tables, scheduler, clock, loads }: Needs) {
    this.#tables = tables
    this.#scheduler = scheduler
    this.#clock = clock
    this.#loads = loads
  }

  /** From now on sites are closed unless the keeper says otherwise, and jobs do not end by themselves. */
  share(keeper: SiteKeeper, listener: (changes: readonly SiteChanges[]) => void): void {
    this.#tables.door.keeper = keeper
    this.#tables.log.listener = listener
    this.#coverAll()
  }

  /** Sites that are here, whole or in part. */
  heads(): Iterable<SiteHead> {
    return this.#tables.log.heads()
  }

  head(site: RingKey): SiteHead | undefined {
    return this.#tables.log.head(site)
  }

  /** Some of its entries, in order. What was changed and not committed yet is seen too. */
  read(site: RingKey, from: string | undefined, bytesMax: number): SitePiece {
    this.#tables.writeAll()
    return readSite(this.#tables, site, from, bytesMax)
  }

  bringIn(site: RingKey, entries: Iterable<SiteEntry>, position: SiteStage): Promise<void> {
    return bringIn(this.#tables, site, entries, position, this.#clock.nowMs())
  }

  /** Its changes are told from now on, this log position first. Its hosts are left alone for as long as after a request. */
  open(site: RingKey, position: SiteStage): void {
    const { names, served } = this.#tables
    if (!names.isAnothers(site)) leaveAlone(this.#tables, site, this.#clock.nowMs())
    served.opened(site)
    this.moveOn(site, position)
  }

  /** The same for one that is open already. */
  moveOn(site: RingKey, position: SiteStage): void {
    this.#tables.log.follow(site, position)
    this.#tables.buffer.checkpoint()
  }

  /** How far an open site has come with all that was told so far. */
  positionOf(site: RingKey): SiteStage | undefined {
    return this.#tables.log.positionOf(site)
  }

  /** Changes are not told any more. */
  close(site: RingKey): void {
    this.#tables.log.unfollow(site)
    this.#tables.served.closed(site)
  }

  /** Nothing of it may be under way. */
  async remove(site: RingKey): Promise<void> {
    this.#tables.served.closed(site)
    if (this.#isWithoutEntries(site)) takeHeadAway(this.#tables, site)
    else await takeAway(this.#tables, site)
    await this.#tables.buffer.committed()
  }

  /** Whether requests to the site, or what came of them, are under way. */
  isBusy(site: RingKey): boolean {
    if (this.#tables.names.isAnothers(site)) return false
    const prefix = prefixOfSite(site)
    return this.#scheduler.hasTasksOut(prefix) || this.#tables.hosts.isAsking(prefix)
  }

  /** What the sites give to do, in pages of ten minutes: see site-loads.ts. */
  loads(): Map<RingKey, number> {
    const nowMs = this.#clock.nowMs()
    const { lanes, jobs, hosts, names } = this.#tables
    const queues = lanes
      .withWork(nowMs)
      .filter(({ job }) => jobs.byNumber(job)?.state === 'running')
      .map(({ site, authority, pending }) => {
        const host = hosts.get(site, authority, nowMs)
        const { delayMs, delayMsMin } = hosts.politenessTo(host)
        return { site, pending, delayMs: Math.max(host.pace.crawlDelayMs, delayMs ?? delayMsMin) }
      })
    const loads = new Map<RingKey, number>()
    for (const [digits, load] of this.#loads.loads(queues, nowMs)) {
      const site = names.at(Buffer.from(digits, 'hex'))
      if (site !== undefined) loads.set(site, load)
    }
    return loads
  }

  /** The job that an entry of this name is of. */
  jobIdIn(name: string): string | undefined {
    return jobIdIn(name)
  }

  optionsOfJob(id: string): JobOptions | undefined {
    return this.#tables.jobs.find(id)?.options
  }

  /** Whether these are the options of the job, whoever says so: its id is made from them. */
  isJob(id: string, options: object): boolean {
    const { seeds } = options as Partial<JobOptions>
    return Array.isArray(seeds) && jobIdOf(options as JobOptions) === id
  }

  /** A job that came with a site. */
  joinJob(options: object): void {
    const { jobs, buffer } = this.#tables
    jobs.join(options as JobOptions, this.#clock.nowMs())
    buffer.checkpoint()
  }

  committed(): Promise<void> {
    return this.#tables.buffer.committed()
  }

  flush(): Promise<void> {
    return this.#tables.buffer.flush()
  }

  /** What lies under its prefix is another's, or may be. */
  #isWithoutEntries(site: RingKey): boolean {
    const { names, log } = this.#tables
    const named = names.at(prefixOfSite(site))
    return named === undefined ? log.hasSibling(site) : named !== site
  }

  /** Sites that were crawled here before there were others have no heads yet. */
  #coverAll(): void {
    const { log } = this.#tables
    for (const site of this.#tables.siteNames()) {
      if (log.head(site) === undefined) log.put(site, first)
    }
    this.#tables.buffer.checkpoint()
  }
}
