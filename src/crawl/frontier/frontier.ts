import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import type { RuleTarget, SiteRule } from '../../model/jobs/site-rule.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { SteadyClock } from '../../platform/steady-clock.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import type { PeerSchedules } from '../jobs/peer-schedules.ts'
import { type PolitenessRules, politenessDefault } from '../politeness/politeness-rules.ts'
import type { SiteTerms } from '../recrawl/page-visits.ts'
import type { SiteRules } from '../rules/site-rules.ts'
import { FrontierChanges } from './changes/frontier-changes.ts'
import type { AddOutcome, Discovery, Link } from './discovery.ts'
import { FetchScheduler } from './fetch-scheduler.ts'
import type { Completion, FetchResult, FetchTask, TaskAnswer } from './fetch-task.ts'
import { FrontierHosts } from './frontier-hosts.ts'
import { FrontierTables } from './frontier-tables.ts'
import { FrontierVisits } from './frontier-visits.ts'
import { Intake } from './intake.ts'
import { FrontierJobs } from './jobs/frontier-jobs.ts'
import type { KnownUrlsLimits } from './known/known-urls.ts'
import { RuleChanges } from './rule-changes.ts'
import { FrontierSites } from './sites/frontier-sites.ts'
import { sitePrefix } from './sites/site-keys.ts'
import { SiteLoads } from './sites/site-loads.ts'
import { SiteNotes } from './sites/site-notes.ts'
import { FrontierSurvey } from './survey/frontier-survey.ts'
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

/** Links taken on between two looks at whether there is room for more. */
const linksAtOnce = 200

export class Frontier {
  readonly #clock: SteadyClock
  readonly #rules: PolitenessRules
  readonly #tables: FrontierTables
  readonly #intake: Intake
  readonly #scheduler: FetchScheduler
  readonly #ruleChanges: RuleChanges
  readonly #loads = new SiteLoads()
  readonly jobs: FrontierJobs
  readonly hosts: FrontierHosts
  readonly visits: FrontierVisits
  readonly notes: SiteNotes
  /** What other frontiers are told of its sites, and take over from it. */
  readonly sites: FrontierSites
  /** What the visits to its sites have shown. */
  readonly changes: FrontierChanges
  /** What lies in it, for people to look at. */
  readonly survey: FrontierSurvey

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
    const joined = {
      tables: this.#tables,
      intake: this.#intake,
      scheduler: this.#scheduler,
      clock: this.#clock,
    }
    this.jobs = new FrontierJobs(joined)
    this.hosts = new FrontierHosts(joined)
    this.visits = new FrontierVisits(joined)
    this.notes = new SiteNotes(this.#tables)
    this.#ruleChanges = new RuleChanges(joined)
    this.sites = new FrontierSites({ ...joined, loads: this.#loads })
    this.changes = new FrontierChanges(this.#tables)
    this.survey = new FrontierSurvey({ tables: this.#tables, nowMs: () => this.nowMs() })
    this.#tables.recover(this.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** Wall time that never jumps; what `wait` answers refer to. */
  nowMs(): number {
    return this.#clock.nowMs()
  }

  /** Where not all hosts can be asked at once, some come before others that have waited for so much longer. */
  giveHeadStarts(headStartMs: (authority: string) => number): void {
    this.#scheduler.giveHeadStarts(headStartMs)
  }

  /** Whether what differs is what differs at every visit, by what was learned of the page and its site. */
  isNoise(url: Url, difference: VersionDifference): boolean {
    return this.#tables.noise.isNoise(url, difference)
  }

  /** What this peer begins by itself, where it has no network. */
  get schedules(): PeerSchedules {
    return this.#tables.schedules
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

  /** Whether the job would follow it: what it leads to is some peer's of this network. */
  isInScope(discovery: Discovery): boolean {
    return this.#intake.isInScope(discovery)
  }

  isKnown(url: Url, jobId: string): boolean {
    return this.#tables.known.has(url, this.#tables.jobs.get(jobId))
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
    this.#tables.changeLog.begin()
    const answer = this.#scheduler.next()
    this.#tables.buffer.checkpoint()
    return answer
  }

  /** Further URLs of the task's origin, to be asked for one after the other: until all are done with, nobody else asks its host. */
  moreTasks(task: FetchTask, countMax: number): FetchTask[] {
    const tasks = this.#scheduler.more(task, countMax)
    this.#tables.buffer.checkpoint()
    return tasks
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
    if (result.outcome === 'fetched') {
      this.#intake.fetched(task, result.isRepeated ?? false)
      this.#loads.note(sitePrefix(task.url), this.nowMs())
    }
    const completion = this.#scheduler.complete(task, result, endedAtMs)
    if (completion.kind !== 'again') this.#noteChange(task, result, endedAtMs)
    this.#tables.buffer.checkpoint()
    if (!this.#tables.buffer.hasRoom) await this.#tables.buffer.room()
    return { completion, outcomes }
  }

  /** In the commit that completes the URL. */
  #noteChange({ url, jobId }: FetchTask, { outcome, observed }: FetchResult, atMs: number): void {
    const job = this.#namedJob(jobId)
    if (observed !== undefined) this.#tables.changes.observed(url, job, observed)
    else if (outcome === 'failed' || outcome === 'unreached') this.#tables.changes.failed(url, job, { atMs })
  }

  /** It was given up without being asked for. */
  failed(url: Url, jobId: string): void {
    this.#tables.changes.failed(url, this.#namedJob(jobId), { atMs: this.nowMs() })
    this.#tables.buffer.checkpoint()
  }

  /** Not the one that keeps things fresh, which nobody asked for. */
  #namedJob(id: string): string | undefined {
    return this.#tables.jobs.find(id)?.options.seeds.length === 0 ? undefined : id
  }

  /** The URL stays queued as if it had not been given out. `touched` tells of a request that was made meanwhile: for
   * robots.txt, say. */
  returnTask(task: FetchTask, touched?: FetchResult): void {
    this.#scheduler.giveBack(task, touched, touched?.endedAtMs ?? this.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** What the keepers of the archive want of the crawl. */
  get rules(): Pick<
    SiteRules,
    'all' | 'get' | 'of' | 'denialOf' | 'isEmpty' | 'isInForce' | 'termsOf' | 'opensAtMs'
  > {
    return this.#tables.siteRules
  }

  /** Holds from now on. Visits that are planned are moved accordingly, and what rules held back is looked at again. */
  setRule(rule: SiteRule): Promise<void> {
    return this.#ruleChanges.set(rule)
  }

  /** The same without the rule that there was. */
  removeRule(target: RuleTarget): Promise<void> {
    return this.#ruleChanges.remove(target)
  }

  /** Resolves when everything told so far is committed: a process that is killed after that does none of it again. */
  async committed(): Promise<void> {
    await this.#tables.buffer.committed()
  }

  /** Everything told so far survives a power cut when it resolves. What jobs have left behind is swept meanwhile, a little
   * each time. */
  async flush(): Promise<void> {
    this.#tables.sweep.step()
    for (const job of this.#tables.jobs.all) this.#scheduler.jobStates.countTime(job)
    await this.#tables.buffer.flush()
  }

  async #breathe(): Promise<void> {
    this.#tables.buffer.checkpoint()
    await this.#tables.buffer.room()
  }
}
