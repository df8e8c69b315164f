// Intake: decides of each URL found whether it is new, wanted and no trap, and queues it if so.
//
// The seen test comes first: it is the cheapest, and settles most. Out of scope is forgotten, since the same URL may be
// in scope when it is found nearer to a seed, and what a rule denies may be allowed by then; traps and what is over a host's budget are remembered as known, so that
// each is told once.

import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { SteadyClock } from '../../platform/steady-clock.ts'
import { ruleRefusal } from '../rules/rule-refusal.ts'
import { priorityLevels } from '../rules/site-rules.ts'
import { type AddOutcome, type Discovery, discoveryOf, type Link, queued, seen } from './discovery.ts'
import type { FetchTask } from './fetch-task.ts'
import type { FrontierTables } from './frontier-tables.ts'
import type { Job } from './jobs/job-table.ts'
import type { Lane } from './lanes/lane.ts'
import { type QueueEntry, rankOf } from './lanes/queue-entry.ts'
import { sessionFree } from './traps/session-free.ts'
import type { TrapRules } from './traps/trap-rules.ts'
import { TrapWatch } from './traps/trap-watch.ts'

type Parts = Pick<FrontierTables, 'sites' | 'names' | 'lanes' | 'jobs' | 'known' | 'door' | 'siteRules'> & {
  clock: SteadyClock
}

export class Intake {
  readonly #parts: Parts
  readonly #traps: TrapWatch

  constructor(parts: Parts, rules: TrapRules) {
    this.#parts = parts
    this.#traps = new TrapWatch(parts.sites, rules)
  }

  addSeeds(job: Job): void {
    for (const seed of job.options.seeds) {
      const url = tryParseUrl(seed)
      if (url !== null) this.#add(job, { url, kind: 'seed', jobId: job.id, depth: 0, via: '' })
    }
  }

  add(discovery: Discovery): AddOutcome {
    return this.#add(this.#parts.jobs.get(discovery.jobId), discovery)
  }

  addRevisit(url: Url, jobId: string): void {
    const job = this.#parts.jobs.get(jobId)
    const lane = this.#parts.lanes.get(url, job.number)
    this.#queue(job, lane, { url, kind: 'navigation', jobId, depth: 0, via: '' })
  }

  addLink(task: FetchTask, link: Link): AddOutcome {
    const job = this.#parts.jobs.get(task.jobId)
    const discovery = discoveryOf(task, link)
    const outcome = this.#add(job, discovery)
    if (discovery.kind === 'seed' && outcome.kind === 'queued') this.#parts.jobs.adopt(job, link.url.href)
    return outcome
  }

  /** Why a URL that another peer would have to take on is not wanted; undefined when it is. */
  screen(discovery: Discovery): AddOutcome | undefined {
    const job = this.#parts.jobs.get(discovery.jobId)
    const { requisiteHops = 0, redirects = 0 } = discovery
    const reason =
      job.scope.refusal({ ...discovery, requisiteHops, redirects }) ??
      ruleRefusal(this.#parts.siteRules, discovery)
    return reason === undefined
      ? undefined
      : this.#turnDown(job, 'outOfScope', { kind: 'out-of-scope', reason })
  }

  /** Whether the job would follow it; nothing is counted. */
  isInScope(discovery: Discovery): boolean {
    const { requisiteHops = 0, redirects = 0 } = discovery
    const { scope } = this.#parts.jobs.get(discovery.jobId)
    return scope.refusal({ ...discovery, requisiteHops, redirects }) === undefined
  }

  fetched(task: FetchTask, isRepeated: boolean): void {
    this.#traps.fetched(task.url, this.#parts.jobs.get(task.jobId).number, isRepeated)
  }

  #add(job: Job, discovery: Discovery): AddOutcome {
    const { url } = discovery
    const { known } = this.#parts
    const isKnown = known.has(url, job)
    if (isKnown && job.options.depth === undefined) return seen
    const { requisiteHops = 0, redirects = 0 } = discovery
    const outside = job.scope.refusal({ ...discovery, requisiteHops, redirects })
    if (isKnown) return outside === undefined ? this.#addNearer(job, discovery) : seen
    const reason = outside ?? this.#collision(url) ?? ruleRefusal(this.#parts.siteRules, discovery)
    if (reason !== undefined) return this.#turnDown(job, 'outOfScope', { kind: 'out-of-scope', reason })
    const trap = this.#trapSign(job, discovery)
    if (trap !== undefined) {
      known.add(url, job)
      return this.#turnDown(job, 'traps', { kind: 'trap', reason: trap })
    }
    const lane = this.#parts.lanes.get(url, job.number)
    const { pagesPerHost = Number.POSITIVE_INFINITY } = job.options.budgets
    if (lane.taken >= pagesPerHost) {
      known.add(url, job)
      const reason = `budget of ${pagesPerHost} URLs of ${url.authority} is spent`
      return this.#turnDown(job, 'overBudget', { kind: 'budget', reason })
    }
    this.#queue(job, lane, discovery)
    return queued
  }

  /** Two names whose hashes begin alike take billions of tries to find: whoever owns both did that on purpose. */
  #collision(url: Url): string | undefined {
    return this.#parts.names.isAnothers(url.ringKey)
      ? `the hash of ${url.site} begins like that of another site`
      : undefined
  }

  #trapSign(job: Job, { url, depth, kind }: Discovery): string | undefined {
    // A seed was asked for by name.
    if (kind === 'seed') return undefined
    const { known, clock } = this.#parts
    return this.#traps.refusal(url, job.number, depth, clock.nowMs(), (text) => known.hasText(text, url, job))
  }

  #turnDown(job: Job, counter: 'outOfScope' | 'traps' | 'overBudget', outcome: AddOutcome): AddOutcome {
    job.counters[counter]++
    this.#parts.jobs.noteChange(job)
    return outcome
  }

  #queue(job: Job, lane: Lane, discovery: Discovery): void {
    const { lanes, jobs, known, clock, door, names } = this.#parts
    const { url } = discovery
    door.check(url)
    names.note(url)
    const rank = rankOf(this.#prioritized(discovery), jobs.nextSequence())
    const entry = entryOf(discovery)
    const ranked = lane.queue.put(rank, entry)
    // Where there is a depth limit, the chunk's rank tells later how deep it was found and where it is queued.
    known.add(url, job, ranked.chunk)
    const free = sessionFree(url.href)
    if (free !== undefined) known.addText(free, url, job)
    lane.taken++
    lane.pending++
    lane.added(ranked)
    lanes.noteChange(lane)
    lanes.wake(lane, clock.nowMs())
    job.counters.queued++
    job.counters.pending++
    jobs.noteChange(job)
  }

  /** A rule may say how urgent it is among those of its host. */
  #prioritized(discovery: Discovery): Discovery {
    const { siteRules } = this.#parts
    if (!siteRules.hasPriorities) return discovery
    const { priority } = siteRules.of(discovery.url).fields
    return priority === undefined ? discovery : { ...discovery, priority: (1 + priorityLevels[priority]) / 2 }
  }

  /** A URL that is known, in a job with a depth limit: found nearer to a seed than before, more of its links count. */
  #addNearer(job: Job, discovery: Discovery): AddOutcome {
    const { lanes, known } = this.#parts
    const stored = known.value(discovery.url, job)
    // What was turned down has no rank.
    if (stored === undefined || stored.charCodeAt(0) === 0 || discovery.depth >= stored.charCodeAt(1))
      return seen
    const lane = lanes.get(discovery.url, job.number)
    const ranked = lane.queue.find(stored, discovery.url.href)
    if (ranked !== undefined && !lane.leased.has(ranked.rank)) {
      lane.queue.remove(ranked)
      lane.removed(ranked.rank)
      lane.taken--
      lane.pending--
      job.counters.queued--
      job.counters.pending--
      this.#queue(job, lane, discovery)
      return seen
    }
    this.#queue(job, lane, discovery)
    return queued
  }
}

function entryOf({ url, kind, depth, via, requisiteHops = 0, redirects = 0 }: Discovery): QueueEntry {
  return { href: url.href, kind, depth, via, requisiteHops, redirects, attempt: 0 }
}
