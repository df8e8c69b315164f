// Robots patience: whether the URLs of an origin whose robots.txt cannot be reached wait for it, or are given up.
//
// They wait as long as the crawl has other things to do. A crawl to which nothing else is left gives up after triesMax
// tries, or fewer where nobody listens, which is how a mistyped port looks; any crawl gives up after waitMsMax. Then for
// good, until the file is reached or a job is begun. When to try again is the policy's business (robots-policy.ts); here is only
// what one run makes of it, so a new run asks anew.

/** With pauses of a minute and two between them. */
export const triesMax = 3
/** Where the connection is refused. */
export const triesMaxRefused = 2
/** Less than a visit may be pending for: see recrawl-book.ts. */
export const waitMsMax = 4 * 3_600_000
const originsMax = 10_000

interface Trial {
  readonly sinceMs: number
  tries: number
  triesMax: number
  overAtMs: number | undefined
}

export class RobotsPatience {
  /** By origin; the oldest is forgotten first, and then asked anew. */
  readonly #trials = new Map<string, Trial>()

  /** Tries of this run, since it was reached last. */
  triesOf(origin: string): number {
    return this.#trials.get(origin)?.tries ?? 0
  }

  /** There was an answer, whatever it says. */
  reached(origin: string): void {
    this.#trials.delete(origin)
  }

  /** There was none; `isRefused`: not even a connection, for nobody listens. */
  failed(origin: string, nowMs: number, isRefused = false): void {
    let trial = this.#trials.get(origin)
    if (trial === undefined) {
      trial = { sinceMs: nowMs, tries: 0, triesMax, overAtMs: undefined }
      if (this.#trials.size >= originsMax) this.#trials.delete(this.#trials.keys().next().value!)
      this.#trials.set(origin, trial)
    }
    trial.tries++
    trial.triesMax = isRefused ? triesMaxRefused : triesMax
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

  /** Whether its URLs wait. `isIdle`: nothing is left to do but what waits like them. */
  waits(origin: string, isIdle: boolean, nowMs: number): boolean {
    const trial = this.#trials.get(origin)
    if (trial === undefined) return false
    const isOver = (isIdle && trial.tries >= trial.triesMax) || nowMs - trial.sinceMs >= waitMsMax
    if (isOver) trial.overAtMs ??= nowMs
    return trial.overAtMs === undefined
  }
}
