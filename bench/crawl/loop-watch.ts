// Loaded before a crawler with --import: how long its event loop was held up, written to a file when it ends.
//
// It looks every millisecond, which takes some of the crawler's time: runs whose rate counts go without.

import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

export interface LoopReport {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}

const resolutionMs = 1
const file = process.env.LOOP_WATCH_FILE

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  process.on('exit', () => {
    delay.disable()
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
    const report: LoopReport = {
      p50Ms: ms(delay.percentile(50)),
      p99Ms: ms(delay.percentile(99)),
      p999Ms: ms(delay.percentile(99.9)),
      maxMs: ms(delay.max),
    }
    writeFileSync(file, JSON.stringify(report))
  })
}
