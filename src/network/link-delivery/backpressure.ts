// Room: lets in as many as fit, first come, first served; the rest wait. It is what makes a crawler wait for slow peers.

import assert from 'node:assert/strict'

interface Waiting {
  readonly count: number
  enter(): void
  refuse(error: unknown): void
}

export class Backpressure {
  readonly #countMax: number
  readonly #usedOf: () => number
  /** Let in, and not yet counted as used. */
  #entering = 0
  #waiting: Waiting[] = []

  /** `usedOf` tells how many are inside. */
  constructor(countMax: number, usedOf: () => number) {
    this.#countMax = countMax
    this.#usedOf = usedOf
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Resolves when so many fit. `entered` must be called when they are counted as used, or will never be. */
  async enter(count: number): Promise<void> {
    assert(count <= this.#countMax)
    if (this.#waiting.length > 0 || !this.#fits(count)) {
      await new Promise<void>((enter, refuse) => this.#waiting.push({ count, enter, refuse }))
    } else this.#entering += count
  }

  entered(count: number): void {
    this.#entering -= count
    this.changed()
  }

  /** There may be more room than before. */
  changed(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.count); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#entering += next.count
      next.enter()
    }
  }

  /** Nobody will come in any more. */
  close(error: unknown): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error)
  }

  #fits(count: number): boolean {
    return this.#usedOf() + this.#entering + count <= this.#countMax
  }
}
