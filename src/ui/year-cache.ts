// Counted years of URLs with many captures, so that leafing through a calendar does not count them all each time.
//
// A year is counted anew when its last capture is another one, and after a while in any case: an import may have put
// captures between those that were counted. Bounded: the year that was asked for longest ago goes first.

import type { YearCounts } from './history.ts'

interface Entry {
  readonly counts: YearCounts
  /** Of the year's last capture. */
  readonly cursor: string
  readonly countedAtMs: number
}

interface YearCacheLimits {
  readonly entries: number
  readonly ageMs: number
  /** Years with fewer captures are counted faster than they are worth keeping. */
  readonly capturesMin: number
}

const yearCacheLimits: YearCacheLimits = { entries: 200, ageMs: 60_000, capturesMin: 200 }

export class YearCache {
  readonly #nowMs: () => number
  readonly #limits: YearCacheLimits
  readonly #entries = new Map<string, Entry>()

  constructor(nowMs: () => number, limits = yearCacheLimits) {
    this.#nowMs = nowMs
    this.#limits = limits
  }

  get(surt: string, year: number, cursor: string): YearCounts | undefined {
    const key = `${year} ${surt}`
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    const isOld = this.#nowMs() - entry.countedAtMs > this.#limits.ageMs
    if (isOld || entry.cursor !== cursor) return undefined
    this.#entries.set(key, entry)
    return entry.counts
  }

  put(surt: string, year: number, cursor: string, counts: YearCounts): void {
    if (counts.counted < this.#limits.capturesMin) return
    this.#entries.set(`${year} ${surt}`, { counts, cursor, countedAtMs: this.#nowMs() })
    if (this.#entries.size <= this.#limits.entries) return
    const [oldest] = this.#entries.keys()
    this.#entries.delete(oldest!)
  }
}
