// Time, as the rest of the program may see it.

/** A task that has been put off. Cancelling it twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds since 1970. May jump, forward or back, when the machine's clock is set. */
  nowMs(): number
  /** Milliseconds since some moment of the past. Never goes back: for durations and deadlines. */
  monotonicMs(): number
  /** Runs the task once, `delayMs` or a little more from now by `monotonicMs`, and never before this call returns. */
  after(delayMs: number, task: () => void): Timer
  /** Resolves after `delayMs`; rejects with the signal's reason when that is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** Sleeping, for any clock that has timers. */
export function sleepOn(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    const abort = (): void => {
      timer.cancel()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** What comes of the work; undefined when that takes longer than `waitMs`. */
export function within<T>(
  clock: Pick<Clock, 'after'>,
  waitMs: number,
  work: Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(waitMs, () => resolve(undefined))
    work.then(resolve, reject).finally(() => timer.cancel())
  })
}
