// Frontier tables: the parts of a frontier that share its map, and how they are written together.

import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { PeerSchedules } from '../jobs/peer-schedules.ts'
import { type PolitenessRules, politenessTo } from '../politeness/politeness-rules.ts'
import type { SiteTerms } from '../recrawl/page-visits.ts'
import { RecrawlSchedule } from '../recrawl/recrawl-schedule.ts'
import { SiteRules } from '../rules/site-rules.ts'
import { ChangeLog } from './changes/change-log.ts'
import { ChangeRecorder } from './changes/change-recorder.ts'
import { NoiseMemory } from './changes/noise-memory.ts'
import { ServedSites } from './changes/served-sites.ts'
import { ToldEvents } from './changes/told-events.ts'
import type { FrontierOptions } from './frontier.ts'
import { HostTable } from './host-table.ts'
import { JobSweep } from './jobs/job-sweep.ts'
import { JobTable } from './jobs/job-table.ts'
import { KnownUrls, knownUrlsLimits } from './known/known-urls.ts'
import { LaneTable, lanesMaxDefault } from './lanes/lane-table.ts'
import { SiteGate } from './sites/site-gate.ts'
import { afterPrefix, jobPrefixes, laneKey, sitePrefixBytes } from './sites/site-keys.ts'
import { SiteLog } from './sites/site-log.ts'
import { SiteNames } from './sites/site-names.ts'
import { type BufferedTable, WriteBuffer } from './write-buffer.ts'

const behindAll = Buffer.alloc(sitePrefixBytes + 1, 0xff)
/** In search of a job's hosts. */
const sitesLookedAt = 20_000
const termsDefault: SiteTerms = { budgetPerMs: 1 / 60_000 }

/** All that a frontier asks its map for. */
export const frontierTables: readonly string[] = [
  'frontier-sites',
  'frontier-schedule',
  'frontier-jobs',
  'frontier-visits',
  'frontier-heads',
  'frontier-changes',
]

export class FrontierTables {
  readonly buffer: WriteBuffer
  /** Everything that is kept by site: see site-keys.ts. */
  readonly sites: BufferedTable
  readonly names: SiteNames
  readonly hosts: HostTable
  readonly lanes: LaneTable
  readonly jobs: JobTable
  readonly sweep: JobSweep
  readonly schedules: PeerSchedules
  readonly known: KnownUrls
  readonly recrawl: RecrawlSchedule
  /** Of the network and of this peer's owner. */
  readonly siteRules: SiteRules
  /** Which sites are this frontier's, where there are several. */
  readonly door: SiteGate
  readonly log: SiteLog
  /** The events of its sites, and who makes them. */
  readonly changeLog: ChangeLog
  readonly toldEvents: ToldEvents
  readonly changes: ChangeRecorder
  /** By which they tell what of a change is noise. */
  readonly noise: NoiseMemory
  readonly served: ServedSites

  /** `steady`: the clock by which times are stored. */
  constructor(
    needs: { keyValue: KeyValue; clock: Clock; random: Random; steady: Pick<Clock, 'nowMs'> },
    options: FrontierOptions & { politeness: PolitenessRules },
  ) {
    this.buffer = new WriteBuffer(needs, () => this.writeAll())
    this.sites = this.buffer.table('frontier-sites')
    this.names = new SiteNames(this.sites)
    this.door = new SiteGate(this.names)
    const schedule = this.buffer.table('frontier-schedule')
    const queues = this.buffer.table('frontier-visits')
    this.siteRules = new SiteRules(queues)
    this.hosts = new HostTable(this.sites, (authority) =>
      politenessTo(options.politeness, this.siteRules.termsOf(authority)),
    )
    this.lanes = new LaneTable(
      { sites: this.sites, schedule, hosts: this.hosts },
      options.lanesMax ?? lanesMaxDefault,
    )
    const jobs = this.buffer.table('frontier-jobs')
    this.jobs = new JobTable(jobs, needs.steady)
    this.sweep = new JobSweep({ sites: this.sites, schedule, jobs })
    this.schedules = new PeerSchedules(jobs, async () => {
      this.buffer.checkpoint()
      await this.buffer.flush()
    })
    this.known = new KnownUrls(this.sites, options.known ?? knownUrlsLimits, options.whenMany)
    this.recrawl = new RecrawlSchedule({
      sites: this.sites,
      queues,
      rules: this.siteRules,
      random: needs.random,
      termsOf: options.recrawlTermsOf ?? (() => termsDefault),
      isOpen: (site) => this.door.isOpenAt(site),
    })
    this.log = new SiteLog({
      heads: this.buffer.table('frontier-heads'),
      names: this.names,
      jobs: this.jobs,
    })
    this.buffer.watch(this.sites, this.log)
    this.changeLog = new ChangeLog({
      sites: this.sites,
      index: this.buffer.table('frontier-changes'),
      stored: needs.keyValue.table('frontier-changes'),
      clock: needs.steady,
    })
    this.toldEvents = new ToldEvents({ sites: this.sites, log: this.changeLog })
    this.served = new ServedSites({ gate: this.door, names: this.names })
    this.noise = new NoiseMemory({ sites: this.sites, clock: needs.steady })
    this.changes = new ChangeRecorder({
      sites: this.sites,
      log: this.changeLog,
      toldEvents: this.toldEvents,
      noise: this.noise,
      epochOf: ({ ringKey }) => this.log.positionOf(ringKey)?.epoch ?? 0,
    })
  }

  /** What the last process left, before anything is given out. */
  recover(nowMs: number): void {
    for (const { number } of this.jobs.all) this.lanes.recover(number, nowMs)
    if (!this.jobs.wasClockAhead) return
    for (const { number } of this.jobs.all) this.lanes.afterClockWasAhead(number, nowMs)
    this.recrawl.afterClockWasAhead(nowMs)
  }

  /** The ring keys of all sites that have something queued or had. */
  *siteNames(): Generator<RingKey> {
    for (let from: Buffer = Buffer.alloc(1); ; ) {
      const [first] = [...this.sites.range(from, behindAll, 1)]
      if (first === undefined) return
      const site = first[0].subarray(0, sitePrefixBytes)
      const named = this.names.at(site)
      if (named !== undefined) yield named
      from = afterPrefix(site)
    }
  }

  /** The hosts of a job, site by site, of so many sites; and whether those were all. */
  hostsOf(
    job: number,
    limit: number,
  ): { hosts: { host: string; queued: number; pending: number }[]; isAll: boolean } {
    this.writeAll()
    const hosts: { host: string; queued: number; pending: number }[] = []
    let from: Buffer = Buffer.alloc(1)
    for (let looks = 0; looks < sitesLookedAt; looks++) {
      const [first] = [...this.sites.range(from, behindAll, 1)]
      if (first === undefined) return { hosts, isAll: true }
      const site = Buffer.from(first[0].subarray(0, sitePrefixBytes))
      const prefix = laneKey(site, job, '')
      for (const [key, value] of this.sites.range(prefix, afterPrefix(prefix), limit - hosts.length + 1)) {
        const [taken = 0, pending = 0] = Buffer.from(value).toString('latin1').split(' ').map(Number)
        hosts.push({ host: key.toString('latin1', prefix.length), queued: taken, pending })
      }
      if (hosts.length > limit) return { hosts: hosts.slice(0, limit), isAll: false }
      from = afterPrefix(site)
    }
    return { hosts, isAll: false }
  }

  /** Whether the job has anything on the site, by its prefix as text. */
  hasOf(job: number, site: string): boolean {
    return jobPrefixes(Buffer.from(site, 'latin1'), job).some((prefix) => {
      for (const _ of this.sites.range(prefix, afterPrefix(prefix), 1)) return true
      return false
    })
  }

  /** Puts what has changed in memory only, so that it is committed with what it belongs to. */
  writeAll(): void {
    this.hosts.write()
    this.lanes.write()
    this.jobs.write()
    this.recrawl.write()
    this.changeLog.write()
    this.noise.write()
  }
}
