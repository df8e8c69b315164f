// Job pace: how long a job may still take, by how fast its queue got shorter lately.
//
// An honest guess or none: while a crawl finds more than it fetches, nobody knows when it ends. Looks at what it was asked about, and
// forgets jobs that were not asked about for long.

import type { JobView } from '../../../model/jobs/job-service.ts'
import { LruCache } from '../../../model/lru-cache.ts'

interface Sample {
  /** Of running. */
  readonly timeMs: number
  readonly pending: number
}

const jobsMax = 1_000
/** Shorter tells of chance, longer of a time that is over. */
const spanMsMin = 20_000
const spanMsMax = 10 * 60_000
const samplesMax = 120

export class JobPace {
  readonly #samples = new LruCache<string, Sample[]>({ max: jobsMax })

  /** undefined when it is not known. */
  msLeft({ id, state, counters: { pending, timeMs } }: JobView): number | undefined {
    if (state === 'done' || pending === 0) return 0
    const samples = this.#samples.get(id) ?? []
    const kept = samples.filter((sample) => sample.timeMs <= timeMs && timeMs - sample.timeMs <= spanMsMax)
    if ((kept.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY) < timeMs) kept.push({ timeMs, pending })
    this.#samples.set(id, kept.slice(-samplesMax))
    const [first] = kept
    if (first === undefined || timeMs - first.timeMs < spanMsMin) return undefined
    const perMs = (first.pending - pending) / (timeMs - first.timeMs)
    return perMs > 0 ? Math.ceil(pending / perMs) : undefined
  }
}
