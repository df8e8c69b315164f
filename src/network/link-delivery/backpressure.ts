// Backpressure: admits as many links as the outbox has room for, first come, first served; callers beyond wait. So a crawler
// slows down with slow peers.

import assert from 'node:assert/strict'

interface Waiting {
  readonly count: number
  enter(): void
  refuse(error: unknown): void
}

export class Backpressure {
  readonly #countMax: number
  readonly #usedOf: () => number
  /** Admitted, and not yet counted by `usedOf`. */
  #entering = 0
  #waiting: Waiting[] = []

  /** `usedOf`: how many links are in the outbox. */
  constructor(countMax: number, usedOf: () => number) {
    this.#countMax = countMax
    this.#usedOf = usedOf
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Resolves when there is room for `count`. Call `markEntered` when they are counted by `usedOf`, or will never be. */
  async enter(count: number): Promise<void> {
    assert(count <= this.#countMax)
    if (this.#waiting.length > 0 || !this.#fits(count)) {
      await new Promise<void>((enter, refuse) => this.#waiting.push({ count, enter, refuse }))
    } else this.#entering += count
  }

  markEntered(count: number): void {
    this.#entering -= count
    this.admitWaiting()
  }

  /** There may be more room than before. */
  admitWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.count); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#entering += next.count
      next.enter()
    }
  }

  /** Rejects all that wait. */
  close(error: unknown): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error)
  }

  #fits(count: number): boolean {
    return this.#usedOf() + this.#entering + count <= this.#countMax
  }
}
