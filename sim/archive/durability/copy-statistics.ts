// How long arcs had how many copies, summed over all arcs; and, from samples, how many of them could be read.

import type { Arc } from './arc.ts'

export class CopyStatistics {
  /** Time by the number of copies that are not lost. */
  readonly #liveMs: number[] = []
  /** Samples by the number of copies that could be read. */
  readonly #readable: number[] = []
  #samples = 0
  #ownerHolds = 0
  #members = 0
  #offline = 0

  /** To be called before an arc's number of copies changes. */
  settle(arc: Arc, nowMs: number): void {
    this.#liveMs[arc.live] = (this.#liveMs[arc.live] ?? 0) + nowMs - arc.changedAtMs
    arc.changedAtMs = nowMs
  }

  sampleArc(readable: number, ownerHolds: boolean): void {
    this.#readable[readable] = (this.#readable[readable] ?? 0) + 1
    this.#samples++
    if (ownerHolds) this.#ownerHolds++
  }

  sampleMember(isPresent: boolean): void {
    this.#members++
    if (!isPresent) this.#offline++
  }

  get offlineShare(): number {
    return this.#offline / this.#members
  }

  get meanCopies(): number {
    return sum(this.#liveMs, (ms, copies) => ms * copies) / sum(this.#liveMs, (ms) => ms)
  }

  /** The share of time with exactly one copy left, be it readable or not. */
  get lastCopyShare(): number {
    return (this.#liveMs[1] ?? 0) / sum(this.#liveMs, (ms) => ms)
  }

  /** How often fewer could be read. */
  readableBelow(copies: number): number {
    return sum(this.#readable, (count, readable) => (readable < copies ? count : 0)) / this.#samples
  }

  /** How often the ring's owner of the moment had a copy itself. */
  get ownerHoldsShare(): number {
    return this.#ownerHolds / this.#samples
  }
}

function sum(values: readonly number[], of: (value: number, index: number) => number): number {
  return values.reduce((total, value, index) => total + of(value, index), 0)
}
