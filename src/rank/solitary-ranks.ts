// Ranks of a peer that is alone: computed by itself whenever they get too old.

import type { Clock } from '../platform/clock.ts'
import { PeriodicTask } from '../platform/periodic-task.ts'
import type { RankBook } from './rank-book.ts'
import { noExchange, onlyPart, type RankExchange, type RankSource, type RankTerms } from './rank-parts.ts'
import { type RankResult, RankRun } from './rank-run.ts'

interface Needs {
  readonly book: RankBook
  readonly source: RankSource
  readonly clock: Clock
  breathe(): Promise<void>
}

const lookMsMax = 60_000
const dueShare = 0.5

export class SolitaryRanks {
  readonly #needs: Needs
  readonly #options: RankTerms & { readonly maxAgeMs: number }
  readonly #task: PeriodicTask
  readonly #stop = new AbortController()

  constructor(needs: Needs, options: RankTerms & { readonly maxAgeMs: number }) {
    this.#needs = needs
    this.#options = options
    const lookMs = Math.min(lookMsMax, (options.maxAgeMs * dueShare) / 2)
    this.#task = new PeriodicTask(needs, lookMs, () => this.#look())
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#task.close()
  }

  async #look(): Promise<void> {
    const { book, source, clock, breathe } = this.#needs
    const nowMs = clock.nowMs()
    if (nowMs - book.computedMs < this.#options.maxAgeMs * dueShare) return
    const exchange: RankExchange = {
      swap: async () => {
        this.#stop.signal.throwIfAborted()
        return [[]]
      },
    }
    try {
      const startOf = (href: string): number | undefined => book.rankOf(href)
      const run = new RankRun({ parts: onlyPart, exchange, source, startOf, breathe }, this.#options)
      await book.keep(await run.run(), nowMs)
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error
    }
  }
}

/** Once, from nothing. */
export function ranksOf(
  { source, breathe }: Pick<Needs, 'source' | 'breathe'>,
  terms: RankTerms,
): Promise<RankResult> {
  return new RankRun({ parts: onlyPart, exchange: noExchange, source, breathe }, terms).run()
}
