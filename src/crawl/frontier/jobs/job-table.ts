// Job table: the jobs of a frontier, by number and by id, with their scopes and exact counters.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../../errors.ts'
import type { JobPriority } from '../../../model/jobs/job-service.ts'
import { parseUrl } from '../../../model/url/url.ts'
import type { Clock } from '../../../platform/clock.ts'
import { type MissedByCode, type MissedReason, withMissed } from '../../jobs/job-outcome.ts'
import { Scope } from '../../scope/scope.ts'
import type { QueueEntry } from '../lanes/queue-entry.ts'
import { jobNumberMax, rankBytes } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'
import {
  type CrawlJob,
  type JobCounters,
  type JobOptions,
  type JobState,
  jobIdOf,
  noCounts,
} from './crawl-job.ts'

export class NoSuchJob extends PolyhistorError {
  constructor(id: string) {
    super('crawl-job-unknown', `There is no crawl job ${id}`)
  }
}

/** Seeds that redirect bring in more seeds, but not without end. */
export const adoptedMax = 10_000
const sequenceBlock = 1 << 20
/** How often it is noted on disk what time it is. */
const noteTimeMs = 10_000
/** Clocks that are kept right are moved by less. */
const aheadMsMin = 60_000

export class Job {
  readonly number: number
  readonly id: string
  /** Of its known URLs: see Knower. */
  readonly hashSeed: number
  readonly options: JobOptions
  readonly createdAtMs: number
  readonly scope: Scope
  readonly counters: JobCounters
  missed: MissedByCode
  state: JobState = 'running'
  ending: string | undefined
  priority: JobPriority
  /** What seeds redirected to. */
  readonly adopted: string[]
  /** Of a budget of pages that several frontiers share, the part that is this one's; undefined when it is not shared. */
  allotted: number | undefined
  /** Tasks out, and those of them that are no requisites. */
  tasks = 0
  pageTasks = 0
  /** When it last did something else than try again; of this process, and since it was begun or went on. */
  workedAtMs: number | undefined
  /** Up to when its time is counted. */
  countedAtMs: number | undefined
  #idBytes: string | undefined

  /** Throws for options that cannot be; unless they were stored. */
  constructor(stored: StoredJob, { isStored = false } = {}) {
    this.number = stored.number
    this.id = stored.id
    this.hashSeed = stored.hashSeed ?? stored.number
    this.options = stored.options
    this.createdAtMs = stored.createdAtMs
    this.counters = { ...noCounts(), ...stored.counters }
    this.missed = stored.missed ?? {}
    this.state = stored.state
    this.ending = stored.ending
    this.priority = stored.priority ?? 'normal'
    this.adopted = [...stored.adopted]
    this.allotted = stored.allotted
    const seeds = [...this.options.seeds, ...this.adopted].map((seed) => parseUrl(seed))
    this.scope = new Scope(this.options, seeds, { isStored })
  }

  /** Its id as bytes, one a character. */
  get idBytes(): string {
    this.#idBytes ??= Buffer.from(this.id, 'hex').toString('latin1')
    return this.#idBytes
  }

  get view(): CrawlJob {
    const { id, options, state, ending, createdAtMs, missed, priority } = this
    return { id, options, state, ending, createdAtMs, missed, priority, counters: { ...this.counters } }
  }

  /** A URL of it was not kept. */
  miss(missed: MissedReason, { href, kind }: Pick<QueueEntry, 'href' | 'kind'>): void {
    this.missed = withMissed(this.missed, missed, { href, isSeed: kind === 'seed' })
  }

  /** Of its budget of time; without end when it has none. */
  get timeLeftMs(): number {
    return Math.max(0, (this.options.budgets.timeMs ?? Number.POSITIVE_INFINITY) - this.counters.timeMs)
  }

  /** Why nothing more may be fetched at all; undefined while something may. */
  spent(): string | undefined {
    const { bytes, timeMs } = this.options.budgets
    if (bytes !== undefined && this.counters.bytes >= bytes) return `budget of ${bytes} bytes is spent`
    if (timeMs !== undefined && this.counters.timeMs >= timeMs) return `budget of ${timeMs} ms is spent`
    return undefined
  }

  /** Where there is a depth limit, each known URL has its rank: see Intake. */
  get knownValueBytes(): number {
    return this.options.depth === undefined ? 0 : rankBytes
  }

  get hasPagesLeft(): boolean {
    const pages = this.allotted ?? this.options.budgets.pages
    return pages === undefined || this.counters.pages + this.pageTasks < pages
  }
}

interface StoredJob extends CrawlJob {
  number: number
  adopted: readonly string[]
  /** Jobs of earlier versions have none. */
  hashSeed?: number
  allotted?: number | undefined
}

export class JobTable {
  readonly #table: BufferedTable
  readonly #byNumber = new Map<number, Job>()
  readonly #byId = new Map<string, Job>()
  readonly #dirty = new Set<Job>()
  /** What is on disk of that which changes, beside counters. */
  readonly #written = new Map<Job, string>()
  #sequence: number
  #sequenceEnd: number
  readonly #clock: Pick<Clock, 'nowMs'>
  #notedAtMs = Number.NEGATIVE_INFINITY
  /** The clock was ahead of what it says now when something was stored here: so times on disk may lie too far ahead. */
  readonly wasClockAhead: boolean

  constructor(table: BufferedTable, clock: Pick<Clock, 'nowMs'>) {
    this.#table = table
    this.#clock = clock
    const nowMs = clock.nowMs()
    const storedAtMs = Number(Buffer.from(table.get(clockKey) ?? []).toString() || '0')
    this.wasClockAhead = storedAtMs > nowMs + aheadMsMin
    for (const [, value] of table.range(jobKey(0), jobKey(jobNumberMax))) {
      const stored = parsed<StoredJob>(value)
      const counters = table.get(countersKey(stored.number))
      const createdAtMs = Math.min(stored.createdAtMs, nowMs)
      this.#remember(new Job({ ...stored, ...countedIn(counters), createdAtMs }, { isStored: true }))
    }
    this.#sequence = Number(Buffer.from(table.get(sequenceKey) ?? []).toString() || '0')
    this.#sequenceEnd = this.#sequence
  }

  get all(): Job[] {
    return [...this.#byNumber.values()]
  }

  get running(): Job[] {
    return this.all.filter(({ state }) => state === 'running')
  }

  find(id: string): Job | undefined {
    return this.#byId.get(id)
  }

  get(id: string): Job {
    const job = this.#byId.get(id)
    if (job === undefined) throw new NoSuchJob(id)
    return job
  }

  /** undefined for one that was started anew, under another number. */
  byNumber(number: number): Job | undefined {
    return this.#byNumber.get(number)
  }

  /** The one with these options, or a new one with nothing queued. Its pages are yet to be allotted. */
  join(options: JobOptions, nowMs: number): Job {
    const known = this.find(jobIdOf(options))
    if (known !== undefined) return known
    const job = this.add(options, nowMs)
    if (options.budgets.pages !== undefined) job.allotted = 0
    return job
  }

  /** A new one; one of the same id is forgotten, and what it knew is the caller's to sweep. */
  add(options: JobOptions, nowMs: number): Job {
    const number = Math.max(0, ...this.#byNumber.keys(), this.#lastNumber()) + 1
    assert(number < jobNumberMax, 'too many jobs')
    const id = jobIdOf(options)
    const hashSeed = Number.parseInt(id.slice(0, 8), 16)
    const stored = { number, id, hashSeed, options, createdAtMs: nowMs, adopted: [], counters: noCounts() }
    const job = new Job({ ...stored, state: 'running', ending: undefined })
    const before = this.#byId.get(id)
    if (before !== undefined) this.remove(before)
    this.#remember(job)
    this.#table.put(lastNumberKey, Buffer.from(String(number)))
    this.noteChange(job)
    return job
  }

  remove(job: Job): void {
    this.#byNumber.delete(job.number)
    this.#byId.delete(job.id)
    this.#dirty.delete(job)
    this.#table.remove(jobKey(job.number))
    this.#table.remove(countersKey(job.number))
    this.#written.delete(job)
  }

  /** Where a seed redirects is a seed: else `http://example.com` would be all that is crawled of its `www.`. */
  adopt(job: Job, href: string): void {
    if (job.adopted.length >= adoptedMax) return
    job.adopted.push(href)
    job.scope.addSeed(parseUrl(href))
    this.noteChange(job)
  }

  noteChange(job: Job): void {
    this.#dirty.add(job)
  }

  /** Never the same number twice, whatever the clock and crashes do: numbers are reserved on disk before use. */
  nextSequence(): number {
    if (this.#sequence >= this.#sequenceEnd) {
      this.#sequenceEnd = this.#sequence + sequenceBlock
      this.#table.put(sequenceKey, Buffer.from(String(this.#sequenceEnd)))
    }
    return this.#sequence++
  }

  /** Sequences of another frontier have come in: ours go on behind them. */
  skipSequence(sequence: number): void {
    if (sequence < this.#sequence) return
    this.#sequence = sequence + sequenceBlock
    this.#sequenceEnd = this.#sequence
    // On disk, too: after a restart the same number would be that of a chunk that has come in, and overwrite it.
    this.#table.put(sequenceKey, Buffer.from(String(this.#sequence)))
  }

  /** Every commit brings other counters, and hardly any something else: a job may have thousands of seeds. */
  write(): void {
    if (this.#dirty.size > 0) this.#noteTime()
    for (const job of this.#dirty) {
      const { number, hashSeed, adopted, allotted, state, ending, missed } = job
      const besideCounters = JSON.stringify([state, ending, adopted.length, allotted, job.priority])
      if (this.#written.get(job) !== besideCounters) {
        const { missed: _, ...view } = job.view
        const stored: StoredJob = { ...view, number, hashSeed, adopted, allotted }
        this.#table.put(jobKey(number), Buffer.from(JSON.stringify(stored)))
        this.#written.set(job, besideCounters)
      }
      this.#table.put(countersKey(number), Buffer.from(JSON.stringify({ ...job.counters, missed })))
    }
    this.#dirty.clear()
  }

  #noteTime(): void {
    const nowMs = Math.floor(this.#clock.nowMs())
    if (nowMs < this.#notedAtMs + noteTimeMs) return
    this.#table.put(clockKey, Buffer.from(String(nowMs)))
    this.#notedAtMs = nowMs
  }

  #remember(job: Job): void {
    this.#byNumber.set(job.number, job)
    this.#byId.set(job.id, job)
  }

  #lastNumber(): number {
    return Number(Buffer.from(this.#table.get(lastNumberKey) ?? []).toString() || '0')
  }
}

/** When something was written last, about. */
const clockKey = Buffer.from('clock')
const sequenceKey = Buffer.from('sequence')
const lastNumberKey = Buffer.from('last number')

function jobKey(number: number): Buffer {
  return numbered('J', number)
}

/** Jobs of earlier versions have their counters with the rest. */
function countersKey(number: number): Buffer {
  return numbered('K', number)
}

/** Jobs of earlier versions have no reasons. */
function countedIn(stored: Uint8Array | undefined): Partial<Pick<StoredJob, 'counters' | 'missed'>> {
  if (stored === undefined) return {}
  const { missed, ...counters } = parsed<JobCounters & { missed?: MissedByCode }>(stored)
  return { counters, missed }
}

function numbered(letter: string, number: number): Buffer {
  const key = Buffer.alloc(4)
  key[0] = letter.charCodeAt(0)
  key.writeUIntBE(number, 1, 3)
  return key
}

function parsed<T>(value: Uint8Array): T {
  return JSON.parse(Buffer.from(value).toString()) as T
}
