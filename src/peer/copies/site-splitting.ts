// Large sites of a network, split and put together again while everything goes on: each bound is a notice, so all peers know the
// same ones in the end, and two owners can cut at the same time.
//
// Whoever owns the place where too much lies cuts it; whoever owns the place of a part that has become small ends its bound.
// Copies follow by comparison and hand-over, as they do when the ring changes. Nothing is unreadable meanwhile: who held a
// capture keeps it until those who are to keep it have it, and readers ask at all places where it may lie.

import { PolyhistorError } from '../../errors.ts'
import { ringKeyBytes } from '../../record/ring-key.ts'
import type { Notice } from '../../replica/notices/notice.ts'
import type { Notices } from '../../replica/notices/notices.ts'
import { boundsToEnd, cutsIn } from '../../replica/split-sites/large-parts.ts'
import type { Bound, SplitSites } from '../../replica/split-sites/split-sites.ts'
import type { RangeSums } from '../../replica/sums/range-sums.ts'
import type { Clock, Timer } from '../../world/clock.ts'
import type { Log } from '../../world/log.ts'
import { boundOf, boundValue, nameOfBound, splitKind } from '../notices/split-notice.ts'
import type { RingPlaces } from '../ring/ring-places.ts'

interface Needs {
  readonly notices: Notices
  readonly splits: SplitSites
  readonly sums: RangeSums
  readonly places: Pick<RingPlaces, 'ownArcs' | 'isOwner'>
  readonly clock: Clock
  readonly log: Log
}

export interface SiteSplittingOptions {
  /** A part of a site with more captures is split. */
  readonly entriesMax: number
  readonly everyMs: number
}

const { kind } = splitKind
/** Bounds that others tell of come many at once, and each change has the peer look at all that it keeps. */
const gatherMs = 100

export class SiteSplitting {
  readonly #needs: Needs
  readonly #options: SiteSplittingOptions
  readonly #stop = new AbortController()
  readonly #unlisten: () => void
  #running: Promise<void> = Promise.resolve()
  /** Heard of, and not applied yet. */
  #heard: Bound[] = []
  #applying: Timer | undefined

  constructor(needs: Needs, options: SiteSplittingOptions) {
    this.#needs = needs
    this.#options = options
    this.#unlisten = needs.notices.follow(kind, (notice) => this.#learn(notice))
    this.#apply()
  }

  start(): void {
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#unlisten()
    this.#applying?.cancel()
    this.#stop.abort()
    await this.#running
  }

  /** Once: what is too large is cut, what has become small is put together. */
  async look(): Promise<void> {
    const { sums, splits, places, notices, log } = this.#needs
    if (!sums.isComplete) return
    const ranges = places.ownArcs().flatMap(({ after, upTo }) => splits.rangesOf(after, upTo))
    const { entriesMax } = this.#options
    for (const key of cutsIn(sums, splits, ranges, entriesMax)) {
      log.info({ bound: printBound(key) }, 'A site is too large for one place, and is split')
      await notices.put(kind, nameOfBound(key), boundValue({ isGone: false }))
    }
    for (const key of boundsToEnd(sums, splits, (place) => places.isOwner(place), entriesMax)) {
      log.info({ bound: printBound(key) }, 'A part of a site has become small, and goes back to the rest')
      await notices.put(kind, nameOfBound(key), boundValue({ isGone: true }))
    }
    this.#apply()
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#needs
    const { signal } = this.#stop
    while (!signal.aborted) {
      await clock.sleep(this.#options.everyMs, signal).catch(() => {})
      try {
        if (!signal.aborted) await this.look()
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        log.warn({ err: error }, 'Whether sites are too large could not be told')
      }
    }
  }

  #learn(notice: Notice): void {
    this.#heard.push(boundOf(notice))
    this.#applying ??= this.#needs.clock.after(gatherMs, () => this.#apply())
  }

  #apply(): void {
    this.#applying?.cancel()
    this.#applying = undefined
    this.#needs.splits.set(...this.#heard.splice(0))
  }
}

/** The URL's SURT, for people. */
function printBound(key: Uint8Array): string {
  return Buffer.from(key.subarray(ringKeyBytes)).toString('utf8')
}
