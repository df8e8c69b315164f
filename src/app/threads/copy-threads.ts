// Threads in which copies from other peers are checked. They start with the first that come, and cost nothing before.

import { availableParallelism } from 'node:os'
import { programModule } from '../../platform/program-files.ts'
import { RealWorkers } from '../../platform/real/threads/workers.ts'
import type { CheckedCopies, CopiesToCheck } from '../../store/copying/copy-check.ts'
import type { CopyWorkers } from '../../store/copying/whole-copies.ts'

const copyThread = programModule('app/threads/copy-thread')
/** More do not help: by then the thread that writes the index is what is waited for. */
const threadsMax = 2
/** Of a thread: enough that it has something to do while the main thread is busy. */
const batchesAtOnce = 4

export function copyThreads(): CopyWorkers {
  const threads = Math.min(threadsMax, availableParallelism())
  return new RealWorkers<CopiesToCheck, CheckedCopies>(copyThread, threads, batchesAtOnce)
}
