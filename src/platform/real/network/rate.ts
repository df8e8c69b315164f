// A bucket of tokens: so much in a second, and what was saved up for a second at most.

export class Rate {
  readonly #perSecond: number
  #tokens: number
  #atMs: number

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#tokens = perSecond
    this.#atMs = nowMs
  }

  /** Takes so many, also on credit. Gives how long to wait until the credit is paid. */
  take(count: number, nowMs: number): number {
    const gained = ((nowMs - this.#atMs) / 1_000) * this.#perSecond
    this.#tokens = Math.min(this.#perSecond, this.#tokens + gained) - count
    this.#atMs = nowMs
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1_000
  }
}
