// Robots waits: whether the URLs of an origin whose robots.txt cannot be reached wait for it, or are given up.
//
// They wait for waitMsMax at most, and not at all once asking again is of no use. Then they are given up for good, until the
// file is reached or a job is begun. That a job with nothing else to do does not wait so long is the frontier's business
// (host-abandonment.ts), when to try again the policy's (robots-policy.ts); here is only what one run makes of it, so a new run
// asks anew.

import { LruCache } from '../../model/lru-cache.ts'

/** Less than a visit may be pending for: see recrawl-schedule.ts. */
export const waitMsMax = 4 * 3_600_000
const originsMax = 10_000

interface Trial {
  readonly sinceMs: number
  tries: number
  overAtMs: number | undefined
}

export class RobotsWaits {
  /** By origin; the oldest is forgotten first, and then asked anew. */
  readonly #trials = new LruCache<string, Trial>({ max: originsMax })

  /** Tries of this run, since it was reached last. */
  triesOf(origin: string): number {
    return this.#trials.get(origin)?.tries ?? 0
  }

  /** There was an answer, whatever it says. */
  reached(origin: string): void {
    this.#trials.delete(origin)
  }

  /** There was none. */
  failed(origin: string, nowMs: number): void {
    let trial = this.#trials.get(origin)
    if (trial === undefined) {
      trial = { sinceMs: nowMs, tries: 0, overAtMs: undefined }
      this.#trials.set(origin, trial)
    }
    trial.tries++
  }

  /** Asking again is of no use. */
  giveUp(origin: string, nowMs: number): void {
    const trial = this.#trials.get(origin)
    if (trial !== undefined) trial.overAtMs ??= nowMs
  }

  /** Whether it is asked for anew for a job that was begun then: its owner may have mended the server since it was given up. */
  isAskedAnew(origin: string, begunAtMs: number): boolean {
    const trial = this.#trials.get(origin)
    const isAnew = trial === undefined || (trial.overAtMs !== undefined && begunAtMs > trial.overAtMs)
    if (isAnew) this.#trials.delete(origin)
    return isAnew
  }

  /** Whether its URLs wait. */
  waits(origin: string, nowMs: number): boolean {
    const trial = this.#trials.get(origin)
    if (trial === undefined) return false
    if (nowMs - trial.sinceMs >= waitMsMax) trial.overAtMs ??= nowMs
    return trial.overAtMs === undefined
  }
}
