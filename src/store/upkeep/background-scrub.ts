// Background scrub: a store that is open for long reads all of itself once in a while, slowly.
//
// A pass is to be done within its time; planned for half of it, so that it can wait while others write. Only when it
// runs late it waits for nobody, and it is never faster than it may be. What stops it, it goes on where it was.

import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Store } from '../store.ts'
import type { ScrubState } from './scrub.ts'

export interface BackgroundScrubOptions {
  /** Everything is read once in this time; 0: never. Both are asked for again and again, and may change meanwhile. */
  readonly everyMs: number
  readonly bytesPerSecondMax: number
}

interface Needs {
  readonly store: Pick<Store, 'scrub' | 'scrubState' | 'isWriting'>
  readonly clock: Clock
  readonly log: Log
}

/** Small stores are not read a byte at a time. */
const bytesPerSecondMin = 1_000_000
/** Whoever starts has better things to do than this at first; at the most a tenth of the time for a pass. */
const startMs = 60_000
/** How long nothing is read while others write, before looking again. */
const giveWayMs = 250
/** After what went wrong: a disk that is full or away needs somebody to look after it. */
const againMs = 600_000
/** Clocks are set. */
const lookMs = 3_600_000

export class BackgroundScrub {
  readonly #needs: Needs
  readonly #options: BackgroundScrubOptions
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  constructor(needs: Needs, options: BackgroundScrubOptions) {
    this.#needs = needs
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Before the store is closed. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { store, log } = this.#needs
    await this.#sleep(Math.min(startMs, this.#options.everyMs / 10))
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#options.everyMs === 0) {
          await this.#sleep(lookMs)
          continue
        }
        const waitMs = this.#dueAtMs(store.scrubState) - this.#needs.clock.nowMs()
        if (waitMs > 0) await this.#sleep(Math.min(waitMs, lookMs))
        else await this.#pass()
      } catch (error) {
        if (this.#stop.signal.aborted) return
        log.warn({ err: error }, 'Looking for rot was cut off, and is tried again later')
        await this.#sleep(Math.min(againMs, this.#options.everyMs || againMs))
      }
    }
  }

  /** A pass that was stopped goes on at once. */
  #dueAtMs({ isUnderWay, startedAtMs }: ScrubState): number {
    const nowMs = this.#needs.clock.nowMs()
    const isOfThePast = startedAtMs !== undefined && startedAtMs <= nowMs
    return isUnderWay || !isOfThePast ? nowMs : startedAtMs + this.#options.everyMs
  }

  async #pass(): Promise<void> {
    const { store, clock, log } = this.#needs
    const { isUnderWay, startedAtMs } = store.scrubState
    const endMs = ((isUnderWay && startedAtMs) || clock.nowMs()) + this.#options.everyMs
    const leftMs = () => endMs - clock.nowMs()
    let bytesPerSecond = this.#options.bytesPerSecondMax
    const { bytes, damagedCount, repaired } = await store.scrub({
      signal: this.#stop.signal,
      sparesBuckets: true,
      bytesPerSecond: (leftBytes) => {
        bytesPerSecond = this.#paceFor(leftBytes, leftMs())
        return bytesPerSecond
      },
      giveWay: async (leftBytes) => {
        const isLate = () => leftBytes / bytesPerSecond > leftMs() / 1_000
        while (store.isWriting && !isLate()) await clock.sleep(giveWayMs, this.#stop.signal)
      },
    })
    log.info({ bytes, found: damagedCount, mended: repaired }, 'Everything in the store was read to find rot')
  }

  #paceFor(leftBytes: number, leftMs: number): number {
    const half = (2 * leftBytes) / (Math.max(1, leftMs) / 1_000)
    return Math.min(this.#options.bytesPerSecondMax, Math.max(bytesPerSecondMin, half))
  }

  async #sleep(ms: number): Promise<void> {
    // Woken up by being closed.
    await this.#needs.clock.sleep(ms, this.#stop.signal).catch(() => {})
  }
}
