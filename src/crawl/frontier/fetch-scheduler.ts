// Fetch scheduler: hands out tasks for URLs that may be fetched now, and takes their results.
//
// Invariants: a host has at most perHostMax tasks out, one where it asked for a delay between requests, and none begins
// before its pace and its address allow. A lane is
// in exactly one place: see LanePlace.

import assert from 'node:assert/strict'
import { parseUrl } from '../../model/url/url.ts'
import type { SteadyClock } from '../../platform/steady-clock.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { AddressGate } from '../politeness/address-gate.ts'
import { isInForce } from '../politeness/host-outage.ts'
import type { PolitenessRules } from '../politeness/politeness-rules.ts'
import { priorityLevels } from '../rules/site-rules.ts'
import type { Completion, Dropped, FetchResult, FetchTask, TaskAnswer } from './fetch-task.ts'
import type { FrontierTables } from './frontier-tables.ts'
import { deniedEnding, type HeldBack, HeldUrls } from './held-urls.ts'
import { HostAbandonment } from './host-abandonment.ts'
import type { Host } from './host-table.ts'
import { JobStates } from './jobs/job-states.ts'
import type { Job } from './jobs/job-table.ts'
import type { Lane } from './lanes/lane.ts'
import { type QueuedTask, TaskResults } from './task-results.ts'

type Parts = Pick<FrontierTables, 'lanes' | 'jobs' | 'hosts' | 'door' | 'siteRules'> & {
  clock: SteadyClock
  rules: PolitenessRules
}

/** A site that is not ours to ask now is looked at again after this. */
const notOursMs = 500
/** URLs that are given up at a time. */
const droppedMax = 256

interface Out extends QueuedTask {
  address: string | undefined
  /** The host may be asked again; what it answered is still being kept. */
  isAnswered: boolean
}

export class FetchScheduler {
  readonly #parts: Parts
  readonly #gate: AddressGate
  readonly #hostAbandonment: HostAbandonment
  readonly #heldUrls: HeldUrls
  readonly #results: TaskResults
  readonly jobStates: JobStates
  readonly #out = new Map<number, Out>()
  /** Lanes that wait until an address has room. */
  readonly #atAddress = new Map<string, Lane[]>()
  /** Requests under way without a task. */
  #turns = 0
  #lastId = 0
  #headStartMs: ((lane: Lane) => number) | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#gate = new AddressGate(parts.rules)
    this.#hostAbandonment = new HostAbandonment(parts)
    this.#heldUrls = new HeldUrls(parts)
    this.#results = new TaskResults(parts)
    this.jobStates = new JobStates(parts)
  }

  /** Lanes of some hosts come before others that have waited for so much longer. */
  giveHeadStarts(headStartMs: (authority: string) => number): void {
    this.#headStartMs = ({ authority }) => headStartMs(authority)
  }

  next(): TaskAnswer {
    const { lanes, jobs } = this.#parts
    const nowMs = this.#parts.clock.nowMs()
    for (const job of jobs.running) this.jobStates.checkBudgets(job)
    const running = jobs.running
    lanes.bringIn(running, nowMs)
    const levels = this.#levels(running)
    for (;;) {
      const atMs = lanes.nextAtMs
      if (atMs === undefined || atMs > nowMs) {
        if (lanes.bringIn(running, nowMs)) continue
        const readyAtMs = (host: Host): number => this.#readyAtMs(host)
        const isLate = jobs.running.filter((job) => this.#hostAbandonment.giveUpLate(job, nowMs, readyAtMs))
        if (isLate.length === 0) return this.#nothingNow(nowMs)
        continue
      }
      const answer = this.#tryLane(lanes.take(nowMs, levels, this.#headStartMs)!, nowMs)
      if (answer !== undefined) return answer
    }
  }

  /** Gives something of the lane out, or puts it where it has to wait. */
  #tryLane(lane: Lane, nowMs: number): TaskAnswer | undefined {
    const { lanes, jobs } = this.#parts
    const job = jobs.byNumber(lane.job)
    const host = lane.host!
    if (lane.isGone) return undefined
    if (job?.state !== 'running') return this.#setAside(lane, () => lanes.toDisk(lane, nowMs))
    if (!this.#parts.door.canCrawlAt(lane.site)) {
      lanes.push(lane, nowMs + notOursMs)
      return undefined
    }
    const reason = this.#hostAbandonment.reasonFor(lane, job, nowMs)
    if (reason !== undefined) return this.#drop(lane, job, reason, nowMs)
    const held = this.#heldUrls.holdBack(lane, job)
    if (held !== undefined) return this.#hold(lane, held)
    if (this.#isBusy(host)) return this.#waitForHost(lane)
    const allowedAtMs = Math.max(this.#readyAtMs(host), this.#opensAtMs(host, nowMs))
    if (allowedAtMs === Number.POSITIVE_INFINITY) return this.#waitForAddress(lane, host.address!)
    if (allowedAtMs > nowMs) {
      lanes.push(lane, allowedAtMs)
      return undefined
    }
    const first = lane.peek()
    if (first === undefined) return this.#setAside(lane, () => lanes.empty(lane))
    if (first.entry.requisiteHops === 0 && !job.hasPagesLeft) {
      return this.#setAside(lane, () => lanes.park(lane, nowMs))
    }
    return { kind: 'task', task: this.#giveOut(lane, job, nowMs) }
  }

  #readyAtMs({ pace, heldUntilMs, address, authority, lastEndedAtMs = 0 }: Host): number {
    // A rule may be newer than the pause under way.
    const pausedUntilMs = lastEndedAtMs + this.#parts.siteRules.termsOf(authority).delayMs
    return Math.max(pace.nextAtMs, pausedUntilMs, heldUntilMs, address ? this.#gate.nextAtMs(address) : 0)
  }

  #opensAtMs({ authority }: Host, nowMs: number): number {
    return this.#parts.siteRules.opensAtMs(authority, nowMs)
  }

  /** A delay between requests says that there is one at a time. */
  #isBusy({ underWay, pace, authority }: Host): boolean {
    const hasDelay = pace.crawlDelayMs > 0 || this.#parts.siteRules.termsOf(authority).delayMs > 0
    return underWay >= (hasDelay ? 1 : this.#parts.rules.perHostMax)
  }

  /** undefined where all are alike. */
  #levels(running: readonly Job[]): ((lane: Lane) => number) | undefined {
    const { siteRules, jobs } = this.#parts
    if (!siteRules.hasPriorities && running.every(({ priority }) => priority === 'normal')) return undefined
    return ({ authority, job }) =>
      siteRules.termsOf(authority).level + priorityLevels[jobs.byNumber(job)?.priority ?? 'normal']
  }

  /** It can leave memory only when none of it is out; else it is looked at again then. */
  #setAside(lane: Lane, leave: () => void): undefined {
    if (lane.leased.size > 0) this.#waitForHost(lane)
    else leave()
  }

  #hold(lane: Lane, { told, isAll }: HeldBack): TaskAnswer {
    if (isAll) this.#setAside(lane, () => this.#parts.lanes.hold(lane))
    else this.#parts.lanes.push(lane, 0)
    return { kind: 'held', held: told }
  }

  #waitForHost(lane: Lane): undefined {
    lane.place = 'host'
    lane.host!.waiting.push(lane)
  }

  #waitForAddress(lane: Lane, address: string): undefined {
    lane.place = 'address'
    const waiting = this.#atAddress.get(address) ?? []
    waiting.push(lane)
    this.#atAddress.set(address, waiting)
  }

  #giveOut(lane: Lane, job: Job, nowMs: number): FetchTask {
    const task = this.#takeOut(lane, job)
    if (this.#isBusy(lane.host!)) this.#waitForHost(lane)
    else this.#parts.lanes.push(lane, nowMs)
    return task
  }

  #takeOut(lane: Lane, job: Job): FetchTask {
    const host = lane.host!
    const ranked = lane.take()!
    const { entry } = ranked
    const out: Out = { lane, host, job, ranked, address: host.address, isAnswered: false }
    lane.leased.add(ranked.rank)
    host.underWay++
    if (out.address !== undefined) this.#gate.begin(out.address)
    job.tasks++
    if (entry.requisiteHops === 0) job.pageTasks++
    const { href, ...rest } = entry
    const task: FetchTask = { id: ++this.#lastId, url: parseUrl(href), jobId: job.id, ...rest }
    this.#out.set(task.id, out)
    return task
  }

  /** Further URLs of the same origin, for who asks its host for several, one after the other: the host is busy until all are done
   * with. What would not be given out by itself ends them. */
  more(task: FetchTask, countMax: number): FetchTask[] {
    const { lane, job } = this.#outOf(task)
    const tasks: FetchTask[] = []
    while (tasks.length < countMax && this.#canFollow(lane, job, task.url.origin))
      tasks.push(this.#takeOut(lane, job))
    return tasks
  }

  #canFollow(lane: Lane, job: Job, origin: string): boolean {
    const first = lane.peek()
    if (first === undefined || job.state !== 'running' || lane.givenUp !== undefined) return false
    if (first.entry.requisiteHops === 0 && !job.hasPagesLeft) return false
    const url = parseUrl(first.entry.href)
    return url.origin === origin && this.#parts.siteRules.denialOf(url) === undefined
  }

  enter(task: FetchTask, address: string): boolean {
    const out = this.#outOf(task)
    // The site may have gone to another peer meanwhile, or a rule may have come.
    if (!this.#parts.door.canCrawl(task.url.ringKey)) return false
    if (this.#parts.siteRules.denialOf(task.url) !== undefined) return false
    if (out.address === address) return true
    if (out.address !== undefined) this.#leaveAddress(out, undefined)
    this.#learnAddress(out.host, address)
    if (this.#gate.nextAtMs(address) > this.#parts.clock.nowMs()) return false
    this.#gate.begin(address)
    out.address = address
    return true
  }

  /** For a request without a task. */
  enterAddress(address: string): boolean {
    if (this.#gate.nextAtMs(address) > this.#parts.clock.nowMs()) return false
    this.#gate.begin(address)
    return true
  }

  leaveAddress(address: string, endedAtMs: number | undefined): void {
    this.#gate.end(address, endedAtMs)
    const waiting = this.#atAddress.get(address)
    if (waiting === undefined) return
    this.#atAddress.delete(address)
    for (const lane of waiting) this.#parts.lanes.push(lane, this.#gate.nextAtMs(address))
  }

  /** A request without a task. Addresses are left to the caller. */
  beginTurn(host: Host): boolean {
    const nowMs = this.#parts.clock.nowMs()
    const allowedAtMs = Math.max(host.pace.nextAtMs, host.heldUntilMs, this.#opensAtMs(host, nowMs))
    if (this.#isBusy(host) || allowedAtMs > nowMs) return false
    this.keepTurn(host)
    return true
  }

  keepTurn(host: Host): void {
    host.underWay++
    this.#turns++
  }

  endTurn(host: Host, href: string, result: FetchResult | undefined, endedAtMs: number): void {
    host.underWay--
    this.#turns--
    if (result !== undefined) this.#hostAbandonment.asked(host, href, result, endedAtMs)
    this.#release(host)
  }

  /** A request was made without a task and without a turn. */
  asked(host: Host, href: string, result: FetchResult, endedAtMs: number): void {
    this.#hostAbandonment.asked(host, href, result, endedAtMs)
  }

  /** The request is over, and the host is free for the next: keeping what it answered takes no time of its. */
  answered(task: FetchTask, result: FetchResult, endedAtMs: number): void {
    const out = this.#outOf(task)
    this.#endRequest(out, result, endedAtMs)
    this.#release(out.host)
  }

  complete(task: FetchTask, result: FetchResult, endedAtMs: number): Completion {
    const out = this.#outOf(task)
    const { job } = out
    this.#end(task, out, result, endedAtMs)
    if (task.attempt === 0) job.workedAtMs = this.#parts.clock.nowMs()
    job.counters.bytes += result.bytes ?? 0
    const completion = this.#results.completionOf(out, result)
    if (completion.kind === 'again') this.#results.queueAgain(out)
    else this.#results.finish(out, result, completion)
    this.#release(out.host)
    this.#parts.jobs.noteChange(job)
    return completion
  }

  giveBack(task: FetchTask, touched: FetchResult | undefined, endedAtMs: number): void {
    const out = this.#outOf(task)
    this.#end(task, out, touched, endedAtMs)
    out.lane.added(out.ranked)
    this.#release(out.host)
  }

  /** What rules held back is looked at again, so many lanes at a time; jobs that ended for them go on. False when that was all. */
  rulesChanged({ isFirst }: { isFirst: boolean }): boolean {
    const { jobs, lanes, clock } = this.#parts
    if (isFirst) {
      this.#heldUrls.rulesChanged()
      const ended = jobs.all.filter((job) => job.ending === deniedEnding && !this.jobStates.isShared(job))
      for (const job of ended) this.jobStates.settle(job, 'running', undefined)
    }
    const released = jobs.all.filter(({ number }) => lanes.release(number, clock.nowMs()))
    return released.length > 0
  }

  /** Whether anything of this site is out. */
  hasTasksOut(site: Buffer): boolean {
    for (const { lane } of this.#out.values()) if (lane.site.equals(site)) return true
    return false
  }

  #outOf(task: FetchTask): Out {
    const out = this.#out.get(task.id)
    assert(out !== undefined, `lease ${task.id} is not out`)
    return out
  }

  #end(task: FetchTask, out: Out, result: FetchResult | undefined, endedAtMs: number): void {
    const { lane, job, ranked } = out
    this.#out.delete(task.id)
    lane.leased.delete(ranked.rank)
    job.tasks--
    if (ranked.entry.requisiteHops === 0) job.pageTasks--
    if (!out.isAnswered) this.#endRequest(out, result, endedAtMs)
  }

  /** The request, if there was one, is over. */
  #endRequest(out: Out, result: FetchResult | undefined, endedAtMs: number): void {
    const { host } = out
    out.isAnswered = true
    host.underWay--
    const wasAsked = result?.outcome === 'fetched' || result?.outcome === 'failed'
    if (out.address !== undefined) this.#leaveAddress(out, wasAsked ? endedAtMs : undefined)
    if (!wasAsked) return
    if (result.address !== undefined) this.#learnAddress(host, result.address)
    this.#hostAbandonment.asked(host, out.ranked.entry.href, result, endedAtMs)
  }

  #learnAddress(host: Host, address: string): void {
    if (host.address === address) return
    host.address = address
    this.#parts.hosts.change(host, host.pace)
  }

  #leaveAddress(out: Out, endedAtMs: number | undefined): void {
    const address = out.address!
    out.address = undefined
    this.leaveAddress(address, endedAtMs)
  }

  /** Whoever waited for the host goes on when its pace allows. */
  #release(host: Host): void {
    const { waiting } = host
    if (waiting.length === 0) return
    host.waiting = []
    const isOut = isInForce(host.outage, this.#parts.clock.nowMs())
    for (const lane of waiting) this.#parts.lanes.push(lane, isOut ? 0 : host.pace.nextAtMs)
  }

  /** Gives up what is queued, as long as there is a reason to. */
  #drop(lane: Lane, job: Job, reason: MissedReason, nowMs: number): TaskAnswer {
    const dropped: Dropped[] = []
    while (dropped.length < droppedMax && this.#hostAbandonment.reasonFor(lane, job, nowMs) !== undefined) {
      const ranked = lane.take()
      if (ranked === undefined) break
      const { href, via } = ranked.entry
      dropped.push({ href, via, jobId: job.id, ...reason })
      job.miss(reason, ranked.entry)
      this.#results.removeQueued(job, lane, ranked)
      job.counters.failed++
    }
    if (lane.peek() === undefined) lane.givenUp = undefined
    this.#parts.lanes.push(lane, 0)
    return { kind: 'dropped', dropped }
  }

  #nothingNow(nowMs: number): TaskAnswer {
    const { jobs, lanes } = this.#parts
    for (const job of jobs.running) this.jobStates.endIfOver(job, nowMs)
    const running = jobs.running
    // A job whose time is up ends then, whoever it waits for.
    const times = running.map((job) =>
      Math.min(lanes.dueAtMs(job, nowMs), nowMs + this.jobStates.timeLeftMs(job)),
    )
    const untilMs = Math.min(lanes.nextAtMs ?? Number.POSITIVE_INFINITY, ...times)
    if (running.length > 0 && untilMs < Number.POSITIVE_INFINITY) return { kind: 'wait', untilMs }
    return { kind: this.#out.size + this.#turns > 0 ? 'busy' : 'idle' }
  }
}
