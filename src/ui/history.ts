// History: how often a URL was captured, by year and month, and day by day for one year.
//
// Bounded whatever the archive holds: a year is counted up to a limit, all years together up to another, and years or
// months beyond are only known to have captures (`isMore`). The thread is let go between a few thousand captures.

import { type Awaitable, firstOf, inChunks, type Listed } from '../model/listed.ts'
import type { Url } from '../model/url/url.ts'
import type { PageArchive, Version } from './archive.ts'
import { startOfMonthMs, startOfYearMs, yearOf } from './markup/dates.ts'
import { isChanged, type Outcome, outcomeOf } from './version-state.ts'
import type { YearCache } from './year-cache.ts'

export interface MonthHistory {
  count: number
  changed: number
  /** There are more than were counted. */
  isMore: boolean
}

export interface YearHistory {
  readonly year: number
  /** January first. */
  readonly months: readonly MonthHistory[]
}

/** What happened on one day. */
export interface DayHistory {
  count: number
  changed: number
  readonly outcomes: Map<Outcome, number>
  /** Of its first capture. */
  readonly firstMs: number
}

/** What counting one year gives. */
export interface YearCounts {
  readonly months: readonly MonthHistory[]
  readonly days: ReadonlyMap<number, DayHistory>
  readonly counted: number
}

export interface History {
  readonly firstMs: number
  readonly lastMs: number
  /** Oldest first; only years with captures. */
  readonly years: readonly YearHistory[]
  /** The year whose days are known. */
  readonly shownYear: number
  /** Days of that year by number of month and day: 103 is 3 January. */
  readonly days: ReadonlyMap<number, DayHistory>
}

interface HistoryLimits {
  readonly perYear: number
  readonly inAll: number
  readonly years: number
}

const historyLimits: HistoryLimits = { perYear: 20_000, inAll: 60_000, years: 150 }

const capturesPerBreath = 2_000

interface Needs {
  readonly archive: Pick<PageArchive, 'versions'>
  /** Lets others have the thread. */
  readonly breathe: () => Promise<void>
  readonly years?: Pick<YearCache, 'get' | 'put'> | undefined
}

interface HistoryRequest {
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** The year whose days are asked for, when it lies in the span; the last one with captures otherwise. */
  readonly year?: number | undefined
}

/** Undefined when the URL has no captures in that span. */
export async function historyOf(
  needs: Needs,
  url: Url,
  request: HistoryRequest = {},
  limits = historyLimits,
): Promise<History | undefined> {
  const walk = new Walk(needs, url, request, limits)
  return walk.run()
}

class Walk {
  readonly #needs: Needs
  readonly #url: Url
  readonly #request: HistoryRequest
  readonly #limits: HistoryLimits
  #left: number

  constructor(needs: Needs, url: Url, request: HistoryRequest, limits: HistoryLimits) {
    this.#needs = needs
    this.#url = url
    this.#request = request
    this.#limits = limits
    this.#left = limits.inAll
  }

  async run(): Promise<History | undefined> {
    const first = await this.#first(this.#request.fromMs)
    let last = await this.#last(this.#request.toMs)
    if (first === undefined || last === undefined || first.capturedAtMs > last.capturedAtMs) return undefined
    const { capturedAtMs: lastMs } = last
    const shownYear = await this.#shownYear(lastMs)
    const years: YearHistory[] = []
    let shownDays: History['days'] = new Map()
    // From the newest year back, from one with captures to the next such: the time between costs nothing.
    while (
      last !== undefined &&
      last.capturedAtMs >= first.capturedAtMs &&
      years.length < this.#limits.years
    ) {
      const year = yearOf(last.capturedAtMs)
      const { months, days } = await this.#counts(year, last, year === shownYear)
      years.push({ year, months })
      if (year === shownYear) shownDays = days
      last = await this.#last(startOfYearMs(year))
    }
    return { firstMs: first.capturedAtMs, lastMs, years: years.reverse(), shownYear, days: shownDays }
  }

  async #shownYear(lastMs: number): Promise<number> {
    const { year } = this.#request
    const has = year !== undefined && (await this.#first(startOfYearMs(year)))
    return has && yearOf(has.capturedAtMs) === year ? year : yearOf(lastMs)
  }

  /** `last` is the year's last capture. */
  async #counts(year: number, last: Version, isShown: boolean): Promise<YearCounts> {
    const fromMs = Math.max(startOfYearMs(year), this.#request.fromMs ?? Number.NEGATIVE_INFINITY)
    const toMs = Math.min(startOfYearMs(year + 1), this.#request.toMs ?? Number.POSITIVE_INFINITY)
    const isWhole = fromMs === startOfYearMs(year) && toMs === startOfYearMs(year + 1)
    const known = isWhole ? this.#needs.years?.get(this.#url.surt, year, last.cursor) : undefined
    if (known !== undefined) return known
    // The year that is shown is counted even when the others have used up the budget.
    const limit = isShown ? this.#limits.perYear : Math.min(this.#limits.perYear, this.#left)
    const counts = await this.#count(year, { fromMs, toMs, limit })
    this.#left -= counts.counted
    const isAll = counts.counted < limit || limit === this.#limits.perYear
    if (isWhole && isAll) this.#needs.years?.put(this.#url.surt, year, last.cursor, counts)
    return counts
  }

  async #count(
    year: number,
    { fromMs, toMs, limit }: { fromMs: number; toMs: number; limit: number },
  ): Promise<YearCounts> {
    const months = Array.from({ length: 12 }, () => ({ count: 0, changed: 0, isMore: false }))
    const days = new Map<number, DayHistory>()
    let counted = 0
    let seenMonth = 0
    let before = limit === 0 ? undefined : await this.#last(fromMs)
    const all = limit === 0 ? [] : this.#versions({ fromMs, toMs, limit })
    for await (const some of inChunks(all, capturesPerBreath)) {
      for (const version of some) {
        const date = new Date(version.capturedAtMs)
        const changed = isChanged(before, version)
        seenMonth = date.getUTCMonth()
        months[seenMonth]!.count++
        if (changed) months[seenMonth]!.changed++
        noteDay(days, seenMonth * 100 + 100 + date.getUTCDate(), version, changed)
        before = version
      }
      counted += some.length
      if (some.length === capturesPerBreath) await this.#needs.breathe()
    }
    const seenMs = before?.capturedAtMs ?? fromMs
    if (counted === limit) await this.#markRest(months, { year, seenMonth, seenMs, toMs })
    return { months, days, counted }
  }

  /** Months beyond the limit: whether there is something is all that is found out. */
  async #markRest(
    months: readonly MonthHistory[],
    { year, seenMonth, seenMs, toMs }: { year: number; seenMonth: number; seenMs: number; toMs: number },
  ): Promise<void> {
    for (let month = seenMonth; month < 12; month++) {
      const fromMs = Math.max(seenMs + 1, startOfMonthMs(year, month))
      const endMs = Math.min(toMs, startOfMonthMs(year, month + 1))
      if (fromMs < endMs && (await this.#any({ fromMs, toMs: endMs }))) months[month]!.isMore = true
    }
  }

  #first(fromMs: number | undefined): Awaitable<Version | undefined> {
    return firstOf(this.#versions({ ...(fromMs !== undefined && { fromMs }), limit: 1 }))
  }

  /** The last one before this moment. */
  #last(toMs: number | undefined): Awaitable<Version | undefined> {
    return firstOf(this.#versions({ ...(toMs !== undefined && { toMs }), reverse: true, limit: 1 }))
  }

  async #any(between: { fromMs: number; toMs: number }): Promise<boolean> {
    return (await firstOf(this.#versions({ ...between, limit: 1 }))) !== undefined
  }

  #versions(options: NonNullable<Parameters<PageArchive['versions']>[1]>): Listed<Version> {
    return this.#needs.archive.versions(this.#url, options)
  }
}

function noteDay(days: Map<number, DayHistory>, key: number, version: Version, changed: boolean): void {
  let day = days.get(key)
  if (day === undefined) {
    day = { count: 0, changed: 0, outcomes: new Map(), firstMs: version.capturedAtMs }
    days.set(key, day)
  }
  const outcome = outcomeOf(version)
  day.count++
  day.outcomes.set(outcome, (day.outcomes.get(outcome) ?? 0) + 1)
  if (changed) day.changed++
}
