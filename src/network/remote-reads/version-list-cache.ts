// Version list cache: the versions of recently read URLs. A page asks for those of its URL again and again: the nearest, the ones
// around it, a hundred slots of its timeline. One request to another peer answers all of them.
//
// Invariants: nothing is kept for longer than `ageMs`, and of a URL without versions nothing at all; bounded by captures.
// Concurrent requests for the same URL share one fetch.

import type { TimeRange } from '../../model/time-range.ts'
import type { Clock } from '../../platform/clock.ts'
import type { NetworkCapture } from './view.ts'

/** undefined when there are too many to be kept. */
export type History =
  | {
      /** Oldest first. */
      readonly captures: readonly NetworkCapture[]
      /** Somebody who may have more did not answer. */
      readonly isPartial: boolean
    }
  | undefined

interface Entry {
  readonly history: Promise<History>
  readonly atMs: number
  size: number
}

const ageMs = 3_000
const capturesMax = 50_000

export class VersionListCache {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  #captures = 0

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
  }

  of(surt: string, fetch: () => Promise<History>): Promise<History> {
    this.#forgetOld()
    const known = this.#entries.get(surt)
    if (known !== undefined) return known.history
    const entry: Entry = { history: fetch(), atMs: this.#clock.monotonicMs(), size: 1 }
    this.#entries.set(surt, entry)
    this.#captures += entry.size
    entry.history.then(
      (history) => this.#keep(surt, entry, history),
      () => this.#forget(surt, entry),
    )
    return entry.history
  }

  #keep(surt: string, entry: Entry, history: History): void {
    if (this.#entries.get(surt) !== entry) return
    const count = history?.captures.length ?? 1
    if (count === 0) this.#forget(surt, entry)
    else this.#grow(entry, count)
  }

  #grow(entry: Entry, count: number): void {
    this.#captures += count
    entry.size += count
    for (const [oldest, its] of this.#entries) {
      if (this.#captures <= capturesMax) break
      this.#forget(oldest, its)
    }
  }

  /** They are in the order in which they came. */
  #forgetOld(): void {
    const before = this.#clock.monotonicMs() - ageMs
    for (const [surt, entry] of this.#entries) {
      if (entry.atMs > before) break
      this.#forget(surt, entry)
    }
  }

  #forget(surt: string, entry: Entry): void {
    if (this.#entries.get(surt) !== entry) return
    this.#entries.delete(surt)
    this.#captures -= entry.size
  }
}

export function partOf(
  history: readonly NetworkCapture[],
  { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY }: TimeRange,
  {
    reverse = false,
    limit = Number.POSITIVE_INFINITY,
  }: { reverse?: boolean | undefined; limit?: number | undefined },
): NetworkCapture[] {
  const part = history.filter(({ capturedAtMs }) => capturedAtMs >= fromMs && capturedAtMs < toMs)
  return (reverse ? part.reverse() : part).slice(0, limit)
}
