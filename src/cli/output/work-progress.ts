// Long work on the store: a progress bar, and Ctrl-C stops it where nothing is lost.

import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { listenForInterruption } from '../interruption.ts'
import { Progress } from './progress.ts'

export interface Watch {
  readonly signal: AbortSignal
  readonly progress: (state: { doneBytes: number; totalBytes: number }) => void
}

export async function inProgress(
  { terminal, isQuiet }: Context,
  title: string,
  work: (watch: Watch) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interruption = listenForInterruption((sentence) => terminal.tell(sentence))
  const progress = new Progress(terminal, title, { isQuiet })
  try {
    return await work({
      signal: interruption.signal,
      progress: ({ doneBytes, totalBytes }) => progress.show({ done: doneBytes, total: totalBytes }),
    })
  } catch (error) {
    if (interruption.signal.aborted) return exitCodes.interrupted
    throw error
  } finally {
    progress.end()
    interruption.release()
  }
}
