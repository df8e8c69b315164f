// Long work of a running peer as lines for whoever asked for it: progress now and then, at the end the result or the error.
//
// Who stops reading stops the work.

import type { WorkLine } from '../../api/v1/work-answer.ts'
import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'

export interface WorkWatch {
  readonly signal: AbortSignal
  readonly progress: (state: object) => void
}

const tellMs = 250

export async function* workLines(
  clock: Clock,
  signal: AbortSignal,
  work: (watch: WorkWatch) => Promise<object>,
): AsyncGenerator<WorkLine> {
  const stop = new AbortController()
  let progress: object | undefined
  const watch: WorkWatch = {
    signal: AbortSignal.any([signal, stop.signal]),
    progress: (state) => {
      progress = state
    },
  }
  const done = work(watch).then((result): WorkLine => ({ result }), told)
  done.catch(() => {}) // Seen below, unless nobody reads any more.
  try {
    for (;;) {
      const line = await Promise.race([done, clock.sleep(tellMs)])
      if (line !== undefined) {
        yield line
        return
      }
      if (progress !== undefined) yield { progress }
    }
  } finally {
    stop.abort()
    await done.catch(() => {})
  }
}

/** Faults of ours are no line: the answer is cut off, and the log tells of them. */
function told(failure: unknown): WorkLine {
  if (failure instanceof PolyhistorError) {
    const { code, message, retry } = failure
    return { error: { code, message, retry } }
  }
  if ((failure as Error).name === 'AbortError')
    return { error: { code: 'work-stopped', message: 'It was stopped.', retry: 'later' } }
  throw failure
}
