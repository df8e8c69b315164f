// How long arcs had how many copies, summed over all arcs.

import type { Arc } from './arc.ts'

export class CopyStatistics {
  /** Time by the number of copies that are not lost, and by the number of those that can be read. */
  readonly #liveMs: number[] = []
  readonly #reachableMs: number[] = []
  #totalMs = 0

  /** To be called before either number of an arc changes. */
  settle(arc: Arc, nowMs: number): void {
    const ms = nowMs - arc.changedAtMs
    arc.changedAtMs = nowMs
    if (ms === 0) return
    this.#liveMs[arc.live] = (this.#liveMs[arc.live] ?? 0) + ms
    this.#reachableMs[arc.reachable] = (this.#reachableMs[arc.reachable] ?? 0) + ms
    this.#totalMs += ms
  }

  get meanCopies(): number {
    let sum = 0
    this.#liveMs.forEach((ms, copies) => {
      sum += ms * copies
    })
    return sum / this.#totalMs
  }

  /** The share of time with exactly one copy left, read or not. */
  get lastCopyShare(): number {
    return (this.#liveMs[1] ?? 0) / this.#totalMs
  }

  reachableBelow(copies: number): number {
    let sum = 0
    this.#reachableMs.forEach((ms, count) => {
      if (count < copies) sum += ms
    })
    return sum / this.#totalMs
  }
}
