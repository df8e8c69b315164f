// Settles which of several captures of one URL and second was the first, where this peer keeps them and does not know.
//
// The other holders are asked when such captures come, and again when they are listed: what most of them are sure of is marked in the
// store for good. Until then, and where it stays open, the one that came first is shown.
// Bounded: one question at a time, a queue of `waitingMax`, and what was asked lately is not asked again.

import { PolyhistorError } from '../../../errors.ts'
import { LruCache } from '../../../model/lru-cache.ts'
import { firstKnown, secondMs, secondOf } from '../../../model/same-second.ts'
import { tryParseUrl, type Url } from '../../../model/url/url.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Store } from '../../../store/store.ts'
import type { FirstCaptureVotes } from '../first-capture-votes.ts'

interface Contested {
  readonly url: Url
  readonly capturedAtMs: number
  /** They may have been settled before. */
  readonly mayBeSure: boolean
}

const waitingMax = 1_024
const againMs = 60_000
const askedMax = 4_096

export class FirstCaptureSettling {
  readonly #needs: { store: Store; votes: FirstCaptureVotes; clock: Clock }
  readonly #waiting = new Map<string, Contested>()
  /** By URL and second: when the answers were not enough. */
  readonly #askedAtMs = new LruCache<string, number>({ max: askedMax })
  #isBusy = false

  constructor(needs: { store: Store; votes: FirstCaptureVotes; clock: Clock }) {
    this.#needs = needs
    needs.store.whenUnsure((url, capturedAtMs) => {
      // Another one has come: what was asked before says nothing of it.
      this.#askedAtMs.delete(nameOf(url, capturedAtMs))
      this.#note(url, capturedAtMs, false)
    })
  }

  /** One that is listed, and is not held to be the first. */
  note(href: string, capturedAtMs: number): void {
    this.#note(href, capturedAtMs, true)
  }

  #note(href: string, capturedAtMs: number, mayBeSure: boolean): void {
    const name = nameOf(href, capturedAtMs)
    const askedAtMs = this.#askedAtMs.get(name) ?? Number.NEGATIVE_INFINITY
    if (this.#needs.clock.monotonicMs() - askedAtMs < againMs || this.#waiting.size >= waitingMax) return
    const url = tryParseUrl(href)
    if (url === null) return
    this.#waiting.set(name, { url, capturedAtMs, mayBeSure })
    if (!this.#isBusy) void this.#settleAll()
  }

  async #settleAll(): Promise<void> {
    this.#isBusy = true
    try {
      // What is being entered now is here when the answers have come.
      for (const [name, contested] of this.#waiting) {
        this.#waiting.delete(name)
        this.#remember(name)
        await this.#settle(contested)
      }
    } finally {
      this.#isBusy = false
    }
  }

  async #settle({ url, capturedAtMs, mayBeSure }: Contested): Promise<void> {
    const { store, votes } = this.#needs
    try {
      if (mayBeSure && this.#isSure(url, secondOf(capturedAtMs))) return
      const verdict = await votes.first(url, capturedAtMs)
      if (verdict?.isSettled) await store.settleSecond(url, capturedAtMs, verdict.recordId)
    } catch (error) {
      // Nobody is found now, or the store is closed: it is asked again when it is listed.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #isSure(url: Url, fromMs: number): boolean {
    const { store, clock } = this.#needs
    const all = [...store.versions(url, { fromMs, toMs: fromMs + secondMs })]
    const crawled = all.filter((capture) => capture.url === url.href && capture.importedBy === undefined)
    return firstKnown(crawled, clock.nowMs())?.isSure ?? true
  }

  #remember(name: string): void {
    this.#askedAtMs.set(name, this.#needs.clock.monotonicMs())
  }
}

function nameOf(href: string, capturedAtMs: number): string {
  return `${secondOf(capturedAtMs)} ${href}`
}
