// Token bucket: lets through so much a second, and what was not used for a moment.
//
// What is taken may be more than there is: then whoever comes next waits until it is paid for. So a rate holds over time whatever the
// size of what is taken; the burst says by how much a short stretch may be above it.

import type { Clock } from '../platform/clock.ts'

export class TokenBucket {
  readonly #clock: Clock
  #perSecond: number
  readonly #burstSeconds: number
  #level = 0
  #filledAtMs: number

  /** `perSecond`: undefined for no limit. */
  constructor(needs: { clock: Clock }, perSecond: number | undefined, burstSeconds = 0.1) {
    this.#clock = needs.clock
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY
    this.#burstSeconds = burstSeconds
    this.#filledAtMs = needs.clock.monotonicMs()
  }

  get perSecond(): number | undefined {
    return Number.isFinite(this.#perSecond) ? this.#perSecond : undefined
  }

  set perSecond(perSecond: number | undefined) {
    this.#fill()
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY
    if (!Number.isFinite(this.#perSecond)) this.#level = 0
  }

  /** Counts it, and says how long to wait before the next. */
  spend(amount: number): number {
    if (!Number.isFinite(this.#perSecond)) return 0
    this.#fill()
    this.#level -= amount
    return this.waitMs
  }

  /** How long until something may be taken. */
  get waitMs(): number {
    if (!Number.isFinite(this.#perSecond)) return 0
    this.#fill()
    return this.#level >= 0 ? 0 : (-this.#level / this.#perSecond) * 1_000
  }

  /** Resolves when what was taken before is paid for. The rate may change meanwhile. */
  async ready(signal?: AbortSignal): Promise<void> {
    for (let waitMs = this.waitMs; waitMs > 0; waitMs = this.waitMs)
      await this.#clock.sleep(Math.min(waitMs, 1_000), signal)
  }

  async take(amount: number, signal?: AbortSignal): Promise<void> {
    await this.ready(signal)
    this.spend(amount)
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs()
    const seconds = (nowMs - this.#filledAtMs) / 1_000
    this.#filledAtMs = nowMs
    if (Number.isFinite(this.#perSecond))
      this.#level = Math.min(this.#perSecond * this.#burstSeconds, this.#level + seconds * this.#perSecond)
  }
}
