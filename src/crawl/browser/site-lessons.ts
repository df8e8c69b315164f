// What was learnt of a site's pages: whether a browser saw more of them than was fetched without.
//
// A lesson for each kind of page, for a site may have several: pages that look empty, pages whose scripts fetch more, and pages that look
// whole. The former two are shown until several in a row gained nothing by it; of those that look whole a few are tried, and all are shown
// once several in a row gained something. A lesson holds for two weeks, then it is learnt anew. Kept with the site, so it goes where that is crawled.

import * as v from 'valibot'
import type { Url } from '../../model/url/url.ts'
import type { PageLooks, PageNeed } from './browser-need.ts'

/** Where it is kept. */
export interface SiteNotes {
  get(url: Url, name: string): Uint8Array | undefined
  put(url: Url, name: string, bytes: Uint8Array | undefined): void
}

/** `row`: pages in a row that gained something, or did not (negative). */
interface Lesson {
  readonly row: number
  readonly sinceMs: number
}

const name = 'browser'
const holdsMs = 14 * 24 * 60 * 60_000
/** In a row, to count as learnt. */
const uselessAfter = 3
const neededAfter = 2
const rowMax = 1_000
const lesson = v.object({
  row: v.pipe(v.number(), v.integer(), v.minValue(-rowMax), v.maxValue(rowMax)),
  sinceMs: v.pipe(v.number(), v.minValue(0)),
})
const stored = v.object({
  empty: v.optional(lesson),
  fetching: v.optional(lesson),
  whole: v.optional(lesson),
})

export interface BrowserChoice {
  readonly isShown: boolean
  /** In words, either way. */
  readonly reason: string
}

export class SiteLessons {
  readonly #notes: SiteNotes
  readonly #clock: { nowMs(): number }

  constructor(notes: SiteNotes, clock: { nowMs(): number }) {
    this.#notes = notes
    this.#clock = clock
  }

  choose(url: Url, { looks, need, hasScripts }: PageNeed): BrowserChoice {
    if (!hasScripts) return { isShown: false, reason: 'it has no scripts' }
    const { row } = this.#lesson(url, looks)
    if (need !== undefined) {
      const isUseless = row <= -uselessAfter
      return isUseless ? { isShown: false, reason: uselessWords } : { isShown: true, reason: need }
    }
    if (row >= neededAfter) return { isShown: true, reason: 'pages of this site show more in a browser' }
    const isTried = row > -neededAfter
    return isTried
      ? { isShown: true, reason: 'to learn whether pages of this site show more' }
      : { isShown: false, reason: 'it has its text without scripts' }
  }

  learn(url: Url, { looks }: PageNeed, hasGained: boolean): void {
    const before = this.#lesson(url, looks)
    const isSameWay = before.row > 0 === hasGained && before.row !== 0
    const step = hasGained ? 1 : -1
    const row = isSameWay ? Math.max(-rowMax, Math.min(rowMax, before.row + step)) : step
    const sinceMs = isSameWay ? before.sinceMs : this.#clock.nowMs()
    const all = { ...this.#stored(url), [looks]: { row, sinceMs } }
    this.#notes.put(url, name, Buffer.from(JSON.stringify(all)))
  }

  #lesson(url: Url, looks: PageLooks): Lesson {
    const known = this.#stored(url)[looks]
    const isOld = known !== undefined && Math.abs(this.#clock.nowMs() - known.sinceMs) > holdsMs
    return known === undefined || isOld ? { row: 0, sinceMs: this.#clock.nowMs() } : known
  }

  /** Another peer may have written it. */
  #stored(url: Url): v.InferOutput<typeof stored> {
    const bytes = this.#notes.get(url, name)
    if (bytes === undefined) return {}
    try {
      const checked = v.safeParse(stored, JSON.parse(Buffer.from(bytes).toString('utf8')))
      return checked.success ? checked.output : {}
    } catch {
      return {}
    }
  }
}

const uselessWords = 'a browser saw no more of the last pages of this site'
