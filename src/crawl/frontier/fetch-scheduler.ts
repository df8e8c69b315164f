// Fetch scheduler: hands out tasks for URLs that may be fetched now, and takes their results.
//
// Invariants: a host has at most perHostMax tasks out, one where it asked for a delay between requests, and none begins
// before its pace and its address allow. A lane is
// in exactly one place: see LanePlace.

import assert from 'node:assert/strict'
import { parseUrl } from '../../model/url.ts'
import type { SteadyClock } from '../../platform/steady-clock.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { AddressGate } from '../politeness/address-gate.ts'
import { isInForce, isOutFor } from '../politeness/host-outage.ts'
import type { PolitenessRules } from '../politeness/politeness-rules.ts'
import type { Completion, Dropped, FetchResult, FetchTask, TaskAnswer } from './fetch-task.ts'
import type { FrontierTables } from './frontier-tables.ts'
import { HostAbandonment } from './host-abandonment.ts'
import type { Host } from './host-table.ts'
import type { Job } from './jobs/job-table.ts'
import type { Lane } from './lanes/lane.ts'
import type { Ranked } from './lanes/lane-queue.ts'
import { rankAgain } from './lanes/queue-entry.ts'

type Parts = Pick<FrontierTables, 'lanes' | 'jobs' | 'hosts' | 'door'> & {
  clock: SteadyClock
  rules: PolitenessRules
}

/** A site that is not ours to ask now is looked at again after this. */
const notOursMs = 500
/** URLs that are given up at a time. */
const droppedMax = 256

interface Out {
  readonly lane: Lane
  readonly host: Host
  readonly job: Job
  readonly ranked: Ranked
  address: string | undefined
  /** The host may be asked again; what it answered is still being kept. */
  isAnswered: boolean
}

export class FetchScheduler {
  readonly #parts: Parts
  readonly #gate: AddressGate
  readonly #hostAbandonment: HostAbandonment
  readonly #out = new Map<number, Out>()
  /** Lanes that wait until an address has room. */
  readonly #atAddress = new Map<string, Lane[]>()
  /** Requests under way without a task. */
  #turns = 0
  #lastId = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#gate = new AddressGate(parts.rules)
    this.#hostAbandonment = new HostAbandonment(parts)
  }

  next(): TaskAnswer {
    const { lanes, jobs } = this.#parts
    const nowMs = this.#parts.clock.nowMs()
    for (const job of jobs.running) this.#checkBudgets(job)
    const running = jobs.running
    lanes.bringIn(running, nowMs)
    for (;;) {
      const atMs = lanes.nextAtMs
      if (atMs === undefined || atMs > nowMs) {
        if (lanes.bringIn(running, nowMs)) continue
        const readyAtMs = (host: Host): number => this.#readyAtMs(host)
        const isLate = jobs.running.filter((job) => this.#hostAbandonment.giveUpLate(job, nowMs, readyAtMs))
        if (isLate.length === 0) return this.#nothingNow(nowMs)
        continue
      }
      const answer = this.#tryLane(lanes.take()!, nowMs)
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
    if (!this.#parts.door.canCrawl(lane.site)) {
      lanes.push(lane, nowMs + notOursMs)
      return undefined
    }
    const reason = this.#hostAbandonment.reasonFor(lane, job, nowMs)
    if (reason !== undefined) return this.#drop(lane, job, reason, nowMs)
    if (this.#isBusy(host)) return this.#waitForHost(lane)
    const allowedAtMs = this.#readyAtMs(host)
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

  #readyAtMs({ pace, heldUntilMs, address }: Host): number {
    return Math.max(pace.nextAtMs, heldUntilMs, address ? this.#gate.nextAtMs(address) : 0)
  }

  /** A delay between requests says that there is one at a time. */
  #isBusy({ underWay, pace }: Host): boolean {
    return underWay >= (pace.crawlDelayMs > 0 ? 1 : this.#parts.rules.perHostMax)
  }

  /** It can leave memory only when none of it is out; else it is looked at again then. */
  #setAside(lane: Lane, leave: () => void): undefined {
    if (lane.leased.size > 0) this.#waitForHost(lane)
    else leave()
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
    if (this.#isBusy(host)) this.#waitForHost(lane)
    else this.#parts.lanes.push(lane, nowMs)
    return task
  }

  enter(task: FetchTask, address: string): boolean {
    const out = this.#outOf(task)
    // The site may have gone to another peer meanwhile.
    if (!this.#parts.door.canCrawl(out.lane.site)) return false
    if (out.address === address) return true
    if (out.address !== undefined) this.#leaveAddress(out, undefined)
    this.#learnAddress(out.host, address)
    if (this.#gate.nextAtMs(address) > this.#parts.clock.nowMs()) return false
    this.#gate.begin(address)
    out.address = address
    return true
  }

  /** A request without a task. Addresses are left to the caller. */
  beginTurn(host: Host): boolean {
    const allowedAtMs = Math.max(host.pace.nextAtMs, host.heldUntilMs)
    if (!this.#parts.door.canCrawl(host.site)) return false
    if (this.#isBusy(host) || allowedAtMs > this.#parts.clock.nowMs()) return false
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
    const completion = this.#completion(out, result)
    if (completion.kind === 'again') this.#queueAgain(out)
    else this.#finish(out, result, completion)
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

  pause(job: Job): void {
    this.countTime(job)
    if (job.state === 'running') job.state = 'paused'
    job.countedAtMs = undefined
    this.#parts.lanes.evict(job.number, this.#parts.clock.nowMs())
    this.#parts.jobs.noteChange(job)
  }

  resume(job: Job): void {
    job.state = 'running'
    job.workedAtMs = undefined
    this.#parts.jobs.noteChange(job)
  }

  cancel(job: Job): void {
    this.countTime(job)
    if (job.state !== 'done') this.#endJob(job, 'cancelled')
  }

  /** It is in this state from now on, whatever it was. */
  settle(job: Job, state: Job['state'], ending: string | undefined): void {
    this.countTime(job)
    job.state = state
    job.ending = ending
    if (state !== 'running') {
      job.countedAtMs = undefined
      this.#parts.lanes.evict(job.number, this.#parts.clock.nowMs())
    }
    this.#parts.jobs.noteChange(job)
  }

  countTime(job: Job): void {
    if (job?.state !== 'running') return
    const nowMs = this.#parts.clock.nowMs()
    job.counters.timeMs += Math.max(0, nowMs - (job.countedAtMs ?? nowMs))
    job.countedAtMs = nowMs
    this.#parts.jobs.noteChange(job)
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
    this.#gate.end(address, endedAtMs)
    const waiting = this.#atAddress.get(address)
    if (waiting === undefined) return
    this.#atAddress.delete(address)
    for (const lane of waiting) this.#parts.lanes.push(lane, this.#gate.nextAtMs(address))
  }

  /** Whoever waited for the host goes on when its pace allows. */
  #release(host: Host): void {
    const { waiting } = host
    if (waiting.length === 0) return
    host.waiting = []
    const isOut = isInForce(host.outage, this.#parts.clock.nowMs())
    for (const lane of waiting) this.#parts.lanes.push(lane, isOut ? 0 : host.pace.nextAtMs)
  }

  #completion({ ranked, host }: Out, result: FetchResult): Completion {
    const isRefusal = result.status === 429 || result.status === 503
    const mayHelp = result.outcome === 'failed' || (result.outcome === 'fetched' && isRefusal)
    if (!mayHelp || result.retry === 'never') return { kind: 'done' }
    if (isOutFor(host.outage, ranked.entry.href, this.#parts.clock.nowMs()))
      return { kind: 'gave-up', reason: 'the host is given up for now' }
    const attempts = ranked.entry.attempt + 1
    const attemptsLeft = this.#parts.rules.attemptsMax - attempts
    if (attemptsLeft <= 0) return { kind: 'gave-up', reason: `tried ${attempts} times` }
    return { kind: 'again', afterMs: host.pace.nextAtMs, attemptsLeft }
  }

  #queueAgain({ lane, ranked }: Out): void {
    const entry = { ...ranked.entry, attempt: ranked.entry.attempt + 1 }
    lane.queue.remove(ranked)
    lane.added(lane.queue.put(rankAgain(ranked.rank, this.#parts.jobs.nextSequence()), entry))
  }

  #finish({ job, lane, ranked }: Out, result: FetchResult, completion: Completion): void {
    this.#removeQueued(job, lane, ranked)
    const { counters } = job
    const isLost = result.outcome === 'failed' || result.outcome === 'unreached'
    const missed = result.missed ?? (completion.kind === 'gave-up' ? toldToWait(result) : undefined)
    if (missed !== undefined) job.miss(missed, ranked.entry)
    if (result.outcome === 'refused') counters.refused++
    else if (isLost || completion.kind === 'gave-up') counters.failed++
    else {
      counters.fetched++
      if (ranked.entry.requisiteHops === 0) counters.pages++
    }
  }

  #removeQueued(job: Job, lane: Lane, ranked: Ranked): void {
    lane.queue.remove(ranked)
    lane.pending--
    job.counters.pending--
    this.#parts.lanes.noteChange(lane)
    this.#parts.jobs.noteChange(job)
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
      this.#removeQueued(job, lane, ranked)
      job.counters.failed++
    }
    if (lane.peek() === undefined) lane.givenUp = undefined
    this.#parts.lanes.push(lane, 0)
    return { kind: 'dropped', dropped }
  }

  #checkBudgets(job: Job): void {
    this.countTime(job)
    if (this.#isShared(job)) return
    const spent = job.spent()
    if (spent !== undefined) this.#endJob(job, spent)
  }

  #endJob(job: Job, ending: string): void {
    job.state = 'done'
    job.ending = ending
    this.#parts.lanes.evict(job.number, this.#parts.clock.nowMs())
    this.#parts.jobs.noteChange(job)
  }

  #nothingNow(nowMs: number): TaskAnswer {
    const { jobs, lanes } = this.#parts
    for (const job of jobs.running) this.#endIfOver(job, nowMs)
    const running = jobs.running
    // A job whose time is up ends then, whoever it waits for.
    const times = running.map((job) => Math.min(lanes.dueAtMs(job, nowMs), nowMs + this.#timeLeftMs(job)))
    const untilMs = Math.min(lanes.nextAtMs ?? Number.POSITIVE_INFINITY, ...times)
    if (running.length > 0 && untilMs < Number.POSITIVE_INFINITY) return { kind: 'wait', untilMs }
    return { kind: this.#out.size + this.#turns > 0 ? 'busy' : 'idle' }
  }

  #timeLeftMs(job: Job): number {
    return this.#isShared(job) ? Number.POSITIVE_INFINITY : job.timeLeftMs
  }

  /** It ends when all peers say so. The one without seeds, which visits again what is known, is each peer's own. */
  #isShared({ options }: Job): boolean {
    return this.#parts.door.isShared && options.seeds.length > 0
  }

  #endIfOver(job: Job, nowMs: number): void {
    if (job.tasks > 0 || this.#isShared(job)) return
    if (job.counters.pending === 0) this.#endJob(job, 'complete')
    else if (!job.hasPagesLeft && !this.#parts.lanes.hasUnparked(job.number, nowMs)) {
      this.#endJob(job, `budget of ${job.options.budgets.pages} pages is spent`)
    }
  }
}

function toldToWait({ status }: FetchResult): MissedReason {
  return { code: 'server-busy', reason: `status ${status}` }
}
