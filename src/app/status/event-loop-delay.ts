// How late the event loop of this process is: counts of delays by size, as Prometheus wants its histograms
// (`histogram_quantile(0.999, rate(…_bucket[5m]))`), which tell of any time span what a quantile of the last scrape does not.

import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** A timer is due this often; what it comes later than that is the delay. */
const resolutionMs = 10

/** Upper bounds in seconds. */
export const delayBounds: readonly number[] = [
  ...[0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5],
  Number.POSITIVE_INFINITY,
]

export class EventLoopDelay {
  readonly #histogram: ELDHistogram

  constructor() {
    this.#histogram = monitorEventLoopDelay({ resolution: resolutionMs })
    this.#histogram.enable()
  }

  /** How many delays there were since the last call that are within each of the bounds. */
  take(): number[] {
    const counts = delayBounds.map((seconds) =>
      countWithin(this.#histogram, seconds * 1e9 + resolutionMs * 1e6),
    )
    this.#histogram.reset()
    return counts
  }
}

/** The histogram tells percentiles only: the largest that lies within is looked for by halving. */
function countWithin(histogram: ELDHistogram, nanoseconds: number): number {
  let [within, above] = [0, histogram.count + 1]
  while (above - within > 1) {
    const middle = Math.floor((within + above) / 2)
    if (histogram.percentile((100 * middle) / histogram.count) <= nanoseconds) within = middle
    else above = middle
  }
  return within
}
