// Frontier: which URLs are known, which are to be fetched, and which of them may be fetched now.
//
// Invariants:
// - A URL once queued is given out until it is completed: a crash loses no queued URL of which the map was flushed; and no link
//   of a page that counts as done, since a page's links are committed before or together with its completion.
// - A URL is given out once, but for those that were out when the process died, and those that are to be tried again.
//   One exception: where a job has a depth limit and a URL that was fetched is found nearer to a seed, it is fetched
//   again, for its links were cut off too early.
// - No host is asked before its pace allows, nor an address: also after a restart.
// - Memory is bounded: windows of lanesMax lanes, filters and caches of fixed size.
//
// A map of its own, opened by the caller, holds it. Changes are committed many at a time and flushed now and then, not for each
// page: after a crash the last moments may be repeated.
// Parts: lane-table.ts (queues and when they are due), known-urls.ts (the seen test), job-table.ts, host-table.ts, trap-watch.ts,
// fetch-scheduler.ts (who is out).

import assert from 'node:assert/strict'
import type { PlannedVisit, VisitRule, VisitTarget } from '../../model/planned-visit.ts'
import type { Url } from '../../model/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeyValue } from '../../platform/key-value.ts'
import type { Random } from '../../platform/random.ts'
import { SteadyClock } from '../../platform/steady-clock.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { isOutFor } from '../politeness/host-outage.ts'
import { paceWithCrawlDelay } from '../politeness/host-pace.ts'
import { type PolitenessRules, politenessDefault } from '../politeness/politeness-rules.ts'
import type { PageVisits, SiteTerms, Visit } from '../recrawl/page-visits.ts'
import type { AddOutcome, Discovery, Link } from './discovery.ts'
import { FetchScheduler } from './fetch-scheduler.ts'
import type { Completion, FetchResult, FetchTask, TaskAnswer } from './fetch-task.ts'
import { FrontierTables } from './frontier-tables.ts'
import type { Host } from './host-table.ts'
import { Intake } from './intake.ts'
import { type CrawlJob, type JobOptions, type JobShare, type JobState, jobIdOf } from './jobs/crawl-job.ts'
import { adoptedMax, type Job } from './jobs/job-table.ts'
import type { KnownUrlsLimits } from './known/known-urls.ts'
import { FrontierSites } from './sites/frontier-sites.ts'
import { noteKey, sitePrefix } from './sites/site-keys.ts'
import { type TrapRules, trapRulesDefault } from './traps/trap-rules.ts'

export interface FrontierOptions {
  politeness?: PolitenessRules
  traps?: TrapRules
  known?: KnownUrlsLimits
  lanesMax?: number
  /** What a site may be asked for to keep it fresh; a visit a minute unless told. */
  recrawlTermsOf?: (url: Url) => SiteTerms
  /** Called once: so many URLs are known that whoever shares the memory should do with less. */
  whenMany?: () => void
}

export interface Completed {
  completion: Completion
  /** One for each link, in order. */
  outcomes: AddOutcome[]
}

/** What a job makes of a URL. */
export interface JobsView {
  readonly jobId: string
  readonly seeds: readonly string[]
  readonly state: CrawlJob['state']
  /** It was taken on: fetched, queued or turned down. */
  readonly isKnown: boolean
  /** Why it would not be taken on as a link of a seed; undefined when it would. */
  readonly outside: string | undefined
}

/** Seeds that are told of a job. */
const seedsTold = 3

/** Links taken on between two looks at whether there is room for more. */
const linksAtOnce = 200
/** Visits moved by a new rule at a time. */
const visitsAtOnce = 200

export class Frontier {
  readonly #clock: SteadyClock
  readonly #rules: PolitenessRules
  readonly #tables: FrontierTables
  readonly #intake: Intake
  readonly #scheduler: FetchScheduler
  /** What other frontiers are told of its sites, and take over from it. */
  readonly sites: FrontierSites

  /** `keyValue` is this frontier's alone. Jobs that were running go on. */
  constructor(needs: { keyValue: KeyValue; clock: Clock; random: Random }, options: FrontierOptions = {}) {
    this.#clock = new SteadyClock(needs.clock)
    this.#rules = options.politeness ?? politenessDefault
    this.#tables = new FrontierTables(
      { ...needs, steady: this.#clock },
      { ...options, politeness: this.#rules },
    )
    const parts = { ...this.#tables, clock: this.#clock, rules: this.#rules }
    this.#intake = new Intake(parts, options.traps ?? trapRulesDefault)
    this.#scheduler = new FetchScheduler(parts)
    this.sites = new FrontierSites({ tables: this.#tables, scheduler: this.#scheduler, clock: this.#clock })
    this.#tables.recover(this.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** Wall time that never jumps; what `wait` answers refer to. */
  nowMs(): number {
    return this.#clock.nowMs()
  }

  /** The job with these options: as it stands if there is one, else a new one with its seeds queued. */
  openJob(options: JobOptions): CrawlJob {
    const found = this.#tables.jobs.find(jobIdOf(options))
    return found === undefined ? this.#begin(options) : found.view
  }

  /** The same, but a new one begins with nothing queued: its seeds are others' to crawl. */
  joinJob(options: JobOptions): CrawlJob {
    const { jobs, buffer } = this.#tables
    const job = jobs.join(options, this.nowMs())
    buffer.checkpoint()
    return job.view
  }

  /** The same job from the beginning: everything is to be fetched anew. What it knew is swept by and by. */
  restartJob(id: string): CrawlJob {
    const job = this.#tables.jobs.get(id)
    this.#clear(job)
    return this.#begin(job.options)
  }

  #clear(job: Job): void {
    assert(job.tasks === 0, 'leases of the job are out')
    this.#tables.lanes.evict(job.number, this.nowMs())
    this.#tables.lanes.forget(job.number)
    this.#tables.known.forgetRecent()
    this.#tables.log.restarts(job, (site) => this.#tables.hasOf(job.number, site))
    this.#tables.sweep.add(job.number)
  }

  #begin(options: JobOptions): CrawlJob {
    const job = this.#tables.jobs.add(options, this.nowMs())
    this.#intake.addSeeds(job)
    this.#tables.buffer.checkpoint()
    return job.view
  }

  job(id: string): CrawlJob | undefined {
    return this.#tables.jobs.find(id)?.view
  }

  jobs(): CrawlJob[] {
    return this.#tables.jobs.all.map(({ view }) => view)
  }

  /** Nothing more of it is given out. Tasks that are out may still be completed. */
  pauseJob(id: string): void {
    this.#scheduler.pause(this.#tables.jobs.get(id))
    this.#tables.buffer.checkpoint()
  }

  resumeJob(id: string): void {
    const job = this.#tables.jobs.get(id)
    if (job.state === 'paused') this.#scheduler.resume(job)
    this.#tables.buffer.checkpoint()
  }

  /** Ends it for good; the same options begin anew. Tasks that are out may still be completed. */
  cancelJob(id: string): void {
    this.#scheduler.cancel(this.#tables.jobs.get(id))
    this.#tables.buffer.checkpoint()
  }

  /** A shared job stands as all peers say. */
  settleJob(id: string, state: JobState, ending?: string): void {
    const job = this.#tables.jobs.get(id)
    if (job.state === state && job.ending === ending) return
    this.#scheduler.settle(job, state, ending)
    this.#tables.buffer.checkpoint()
  }

  /** What this frontier has of a job that several share. */
  shareOf(id: string): JobShare {
    const job = this.#tables.jobs.get(id)
    const { counters, tasks, allotted, hasPagesLeft } = job
    const isStopped = tasks === 0 && counters.pending > 0 && !hasPagesLeft
    const isOutOfPages = isStopped && !this.#tables.lanes.hasUnparked(job.number, this.nowMs())
    return { counters: { ...counters }, tasks, allotted, isOutOfPages }
  }

  /** Of the pages that a shared job may fetch, so many in all are for this frontier. */
  allotPages(id: string, pages: number): void {
    const job = this.#tables.jobs.get(id)
    job.allotted = pages
    this.#tables.jobs.noteChange(job)
    this.#tables.buffer.checkpoint()
  }

  /** A seed of a shared job led there: from now on it counts as a seed where scope is concerned. */
  adoptSeed(id: string, url: Url): void {
    const job = this.#tables.jobs.get(id)
    if (job.adopted.includes(url.href)) return
    this.#tables.jobs.adopt(job, url.href)
    this.#tables.buffer.checkpoint()
  }

  /** Whether a seed led outside of its job's scope: then all who share the job have to know, for their own links. */
  leadsOutside(task: FetchTask, { url, kind }: Link): boolean {
    if (task.kind !== 'seed' || kind !== 'redirect') return false
    const { scope, options, adopted } = this.#tables.jobs.get(task.jobId)
    if (adopted.length >= adoptedMax) return false
    const question = { url, kind: 'navigation', depth: 0, requisiteHops: 0, redirects: 0 } as const
    // Pages alone need no scope: where a seed led is queued as a seed.
    return options.scope !== 'page' && scope.refusal(question) !== undefined
  }

  /** A job that nobody will ask for again. Nothing of it may be out. What it knew is swept by and by. */
  forgetJob(id: string): void {
    const job = this.#tables.jobs.get(id)
    this.#clear(job)
    this.#tables.jobs.remove(job)
    this.#tables.buffer.checkpoint()
  }

  /** URLs of the job that are being fetched now. */
  tasksOut(id: string): number {
    return this.#tables.jobs.get(id).tasks
  }

  async add(discoveries: readonly Discovery[]): Promise<AddOutcome[]> {
    const outcomes: AddOutcome[] = []
    for (const [index, discovery] of discoveries.entries()) {
      outcomes.push(this.#intake.add(discovery))
      if (index % linksAtOnce === linksAtOnce - 1) await this.#breathe()
    }
    this.#tables.buffer.checkpoint()
    await this.#tables.buffer.room()
    return outcomes
  }

  /** Why a URL that another peer would have to take on is not wanted; undefined when it is. */
  screen(discovery: Discovery): AddOutcome | undefined {
    return this.#intake.screen(discovery)
  }

  isKnown(url: Url, jobId: string): boolean {
    return this.#tables.known.has(url, this.#tables.jobs.get(jobId))
  }

  /** What jobs make of a URL, the newest first; those that keep things fresh have no seeds, and no view. */
  viewsOf(url: Url, limit: number): JobsView[] {
    const jobs = this.#tables.jobs.all.filter(({ options }) => options.seeds.length > 0)
    return jobs
      .toReversed()
      .slice(0, limit)
      .map((job) => ({
        jobId: job.id,
        seeds: job.options.seeds.slice(0, seedsTold),
        state: job.state,
        isKnown: this.#tables.known.has(url, job),
        outside: job.options.seeds.includes(url.href)
          ? undefined
          : job.scope.refusal({ url, kind: 'navigation', depth: 1, requisiteHops: 0, redirects: 0 }),
      }))
  }

  /** True when this job would only say `seen`: a quick look at links before they are parsed. False says nothing. */
  hasSeen(href: string, jobId: string): boolean {
    const job = this.#tables.jobs.get(jobId)
    // Where there is a depth limit, a link that is seen may still matter: it may lead to the page by a shorter way.
    return job.options.depth === undefined && this.#tables.known.isRecent(href, job)
  }

  /** The next URL that may be fetched now, or when to ask again. */
  async nextTask(): Promise<TaskAnswer> {
    if (!this.#tables.buffer.hasRoom) await this.#tables.buffer.room()
    const answer = this.#scheduler.next()
    this.#tables.buffer.checkpoint()
    return answer
  }

  /** DNS has spoken: false when that address must not be asked now; then give the task back. */
  enter(task: FetchTask, address: string): boolean {
    return this.#scheduler.enter(task, address)
  }

  /** The response has come whole: the host may be asked for the next. The task is still to be completed. */
  answered(task: FetchTask, result: FetchResult): void {
    this.#scheduler.answered(task, result, result.endedAtMs ?? this.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** The URL is done with, and these links were found. Resolves when there is room for more changes. */
  async complete(task: FetchTask, result: FetchResult, links: readonly Link[] = []): Promise<Completed> {
    const endedAtMs = result.endedAtMs ?? this.nowMs()
    const outcomes: AddOutcome[] = []
    for (const [index, link] of links.entries()) {
      outcomes.push(this.#intake.addLink(task, link))
      if (index % linksAtOnce === linksAtOnce - 1) await this.#breathe()
    }
    if (result.outcome === 'fetched') this.#intake.fetched(task, result.isRepeated ?? false)
    const completion = this.#scheduler.complete(task, result, endedAtMs)
    this.#tables.buffer.checkpoint()
    if (!this.#tables.buffer.hasRoom) await this.#tables.buffer.room()
    return { completion, outcomes }
  }

  /** The URL stays queued as if it had not been given out. `touched` tells of a request that was made meanwhile: for
   * robots.txt, say. */
  returnTask(task: FetchTask, touched?: FetchResult): void {
    this.#scheduler.giveBack(task, touched, touched?.endedAtMs ?? this.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** A request is to be made without a task, where robots.txt redirects to. True when the host may be asked now; then
   * others wait until `endTurn`. */
  beginTurn(url: Url): boolean {
    return this.#scheduler.beginTurn(this.#hostOf(url))
  }

  /** The host is kept for one who has just asked it, and goes on to ask it at its pace, until `endTurn`. */
  keepTurn(url: Url): void {
    this.#scheduler.keepTurn(this.#hostOf(url))
  }

  /** Without a result nobody was asked. */
  endTurn(url: Url, result: FetchResult | undefined): void {
    this.#scheduler.endTurn(this.#hostOf(url), url.href, result, result?.endedAtMs ?? this.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** The host is left alone until then, for other reasons than its pace. Forgotten with the process. */
  hold(url: Url, untilMs: number, why: MissedReason): void {
    const host = this.#hostOf(url)
    host.heldUntilMs = untilMs
    host.heldFor = why
  }

  /** The reason is gone. */
  endHold(url: Url): void {
    const host = this.#hostOf(url)
    host.heldUntilMs = 0
    host.heldFor = undefined
  }

  /** Whether the host could not be reached, and is given up for now. */
  isGivenUp(url: Url): boolean {
    return isOutFor(this.#hostOf(url).outage, url.href, this.nowMs())
  }

  #hostOf(url: Url): Host {
    return this.#tables.hosts.get(sitePrefix(url), url.authority, this.nowMs())
  }

  /** A request was made without a task: for robots.txt, by somebody who only wants to know. It counts all the same. */
  asked(url: Url, result: FetchResult): void {
    this.#scheduler.asked(this.#hostOf(url), url.href, result, result.endedAtMs ?? this.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** What robots.txt asks of those who crawl this host; 0 when it asks nothing. */
  setCrawlDelay(url: Url, crawlDelayMs: number): void {
    const host = this.#hostOf(url)
    if (host.pace.crawlDelayMs === crawlDelayMs) return
    this.#tables.hosts.change(
      host,
      paceWithCrawlDelay(host.pace, crawlDelayMs, host.lastEndedAtMs, this.#rules),
    )
    this.#tables.buffer.checkpoint()
  }

  /** A page was visited: its next visit is planned. Call it before `complete`, and both are committed together. */
  visited(url: Url, visit: Visit): PageVisits {
    const page = this.#tables.recrawl.visited(url, visit)
    this.#tables.buffer.checkpoint()
    return page
  }

  /** Pages that are due for another visit, overdue ones first; each is given once, and again when nothing came of it. */
  dueVisits(limit: number): string[] {
    const hrefs = this.#tables.recrawl.due(this.nowMs(), limit)
    this.#tables.buffer.checkpoint()
    return hrefs
  }

  /** Other rules of freshness may hold than when visits were planned; `rules` names them. Looks at so many visits, and
   * resolves with whether none is left to look at. */
  async replanVisits(rules: string, limit: number): Promise<boolean> {
    const isDone = this.#tables.recrawl.replan(rules, limit, this.nowMs())
    await this.#breathe()
    return isDone
  }

  /** When the next visit is due; undefined when there is none. */
  nextVisitAtMs(): number | undefined {
    return this.#tables.recrawl.nextAtMs()
  }

  /** The visits that are planned, those due first. */
  plannedVisits(target: VisitTarget, limit: number): PlannedVisit[] {
    return this.#tables.recrawl.planned(target, limit)
  }

  visitRules(): VisitRule[] {
    return this.#tables.recrawl.rules.all()
  }

  /** The rule for just this, if there is one. */
  visitRule(target: VisitTarget): VisitRule | undefined {
    return this.#tables.recrawl.rules.get(target)
  }

  /** A rule for visits, from now on; without a rule, the one that there was is taken back. Visits that are planned are moved
   * accordingly. */
  async setVisitRule(target: VisitTarget, rule: VisitRule | undefined): Promise<void> {
    const { recrawl } = this.#tables
    if (rule === undefined) recrawl.rules.remove(target)
    else recrawl.rules.put(rule)
    let after: Buffer | undefined
    do {
      after = recrawl.applyRules(target, visitsAtOnce, this.nowMs(), after)
      await this.#breathe()
    } while (after !== undefined)
  }

  /** What is known of a page's visits. */
  visitsOf(url: Url): PageVisits | undefined {
    return this.#tables.recrawl.page(url)
  }

  /** Fetched again although it is known, for the job that keeps things fresh. Who asks sees to it that it is not queued
   * already. */
  revisit(url: Url, jobId: string): void {
    this.#intake.addRevisit(url, jobId)
    this.#tables.buffer.checkpoint()
  }

  /** When the URL's host may be asked next, as far as it is known; never, if its site is another peer's. */
  hostAllowedAtMs(url: Url): number {
    if (!this.#tables.door.isOpen(sitePrefix(url))) return Number.POSITIVE_INFINITY
    const { pace, heldUntilMs } = this.#hostOf(url)
    return Math.max(pace.nextAtMs, heldUntilMs)
  }

  /** What others keep with a site (robots.txt of an origin), under a name of theirs. */
  note(url: Url, name: string): Uint8Array | undefined {
    return this.#tables.sites.get(noteKey(sitePrefix(url), name))
  }

  putNote(url: Url, name: string, bytes: Uint8Array | undefined): void {
    const key = noteKey(sitePrefix(url), name)
    if (bytes === undefined) this.#tables.sites.remove(key)
    else this.#tables.sites.put(key, bytes)
    this.#tables.buffer.checkpoint()
  }

  /** Resolves when everything told so far is committed: a process that is killed after that does none of it again. */
  async committed(): Promise<void> {
    await this.#tables.buffer.committed()
  }

  /** Everything told so far survives a power cut when it resolves. What jobs have left behind is swept meanwhile, a little
   * each time. */
  async flush(): Promise<void> {
    this.#tables.sweep.step()
    for (const job of this.#tables.jobs.all) this.#scheduler.countTime(job)
    await this.#tables.buffer.flush()
  }

  async #breathe(): Promise<void> {
    this.#tables.buffer.checkpoint()
    await this.#tables.buffer.room()
  }
}
