// Loaded before the crawler with --import: how long its event loop was held up, and how much memory it took, written to
// a file when it ends.

import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

export interface LoopReport {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
  readonly peakMegabytes: number
  /** Of all threads. */
  readonly processorSeconds: number
  readonly mainThreadSeconds: number
}

const resolutionMs = 1
const file = process.env.LOOP_WATCH_FILE

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  process.on('exit', () => {
    delay.disable()
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
    const usage = process.resourceUsage()
    const thread = process.threadCpuUsage()
    const report: LoopReport = {
      p50Ms: ms(delay.percentile(50)),
      p99Ms: ms(delay.percentile(99)),
      p999Ms: ms(delay.percentile(99.9)),
      maxMs: ms(delay.max),
      peakMegabytes: usage.maxRSS / 1000,
      processorSeconds: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
      mainThreadSeconds: (thread.user + thread.system) / 1e6,
    }
    writeFileSync(file, JSON.stringify(report))
  })
}
