// How long a peer may take to stop. What is then still being ended is left: whatever was acknowledged is on disk, and the next start
// looks at the index first, as after a power cut.

import type { Clock } from '../platform/clock.ts'

interface StopDeadlineNeeds {
  readonly clock: Pick<Clock, 'after'>
  /** Ends the process. */
  readonly end: () => void
}

/** Counts from when the signal is aborted. Gives what calls it off, for when all has ended. */
export function stopDeadline(
  { clock, end }: StopDeadlineNeeds,
  stop: AbortSignal,
  waitMs: number,
): () => void {
  let cancel = (): void => {}
  const begin = (): void => {
    const timer = clock.after(waitMs, end)
    cancel = () => timer.cancel()
  }
  if (stop.aborted) begin()
  else stop.addEventListener('abort', begin, { once: true })
  return () => {
    stop.removeEventListener('abort', begin)
    cancel()
  }
}
