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
import type { SplitSites } from '../../replica/split-sites/split-sites.ts'
import type { RangeSums } from '../../replica/sums/range-sums.ts'
import type { Clock } from '../../world/clock.ts'
import type { Log } from '../../world/log.ts'
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

const kind = 'split'
const here = Buffer.from('here')
const gone = Buffer.from('gone')

export class SiteSplitting {
  readonly #needs: Needs
  readonly #options: SiteSplittingOptions
  readonly #stop = new AbortController()
  readonly #unlisten: () => void
  #running: Promise<void> = Promise.resolve()

  constructor(needs: Needs, options: SiteSplittingOptions) {
    this.#needs = needs
    this.#options = options
    for (const notice of needs.notices.all(kind)) this.#learn(notice)
    this.#unlisten = needs.notices.onChange((notice) => this.#learn(notice))
  }

  start(): void {
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#unlisten()
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
      await notices.put(kind, nameOf(key), here)
    }
    for (const key of boundsToEnd(sums, splits, (place) => places.isOwner(place), entriesMax)) {
      log.info({ bound: printBound(key) }, 'A part of a site has become small, and goes back to the rest')
      await notices.put(kind, nameOf(key), gone)
    }
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

  #learn({ kind: heard, name, value }: Notice): void {
    if (heard !== kind) return
    this.#needs.splits.set({ key: Buffer.from(name, 'base64url'), isGone: Buffer.compare(value, gone) === 0 })
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('base64url')
}

/** The URL's SURT, for people. */
function printBound(key: Uint8Array): string {
  return Buffer.from(key.subarray(ringKeyBytes)).toString('utf8')
}
