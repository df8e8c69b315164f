// The machine's clock.
//
// Invariant: a task never runs before its delay has passed by monotonicMs(), however long the delay.

import assert from 'node:assert/strict'
import { type Clock, sleepOn, type Timer } from '../clock.ts'

// setTimeout takes 31 bits; what is longer it would run at once.
const timeoutMsMax = 2 ** 31 - 1

export class RealClock implements Clock {
  nowMs(): number {
    return Date.now()
  }

  monotonicMs(): number {
    return performance.now()
  }

  after(delayMs: number, task: () => void): Timer {
    assert(delayMs >= 0)
    // A timeout would take a millisecond at least.
    if (delayMs === 0) {
      const immediate = setImmediate(task)
      return { cancel: () => clearImmediate(immediate) }
    }
    const dueMs = this.monotonicMs() + delayMs
    let timeout: NodeJS.Timeout
    const wait = (): void => {
      // It may be due already: a busy machine gives the processor to others at any point.
      const leftMs = Math.max(0, Math.ceil(dueMs - this.monotonicMs()))
      timeout = setTimeout(wake, Math.min(leftMs, timeoutMsMax))
    }
    const wake = (): void => {
      // Node rounds to its loop's clock and may be a fraction of a millisecond early.
      if (this.monotonicMs() < dueMs) wait()
      else task()
    }
    wait()
    return { cancel: () => clearTimeout(timeout) }
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }
}
