// The threads of a crawler. page-thread.ts is what runs in them.
//
// Little is loaded for them here: a command that is going to crawl starts them first, and loads itself meanwhile.

import { availableParallelism } from 'node:os'
import { programModule } from '../../platform/program-files.ts'
import { RealWorkers } from '../../platform/real/threads/workers.ts'
import type { PageThreadResult, PageThreadTask } from './page-task.ts'

export type PageThreads = RealWorkers<PageThreadTask, PageThreadResult>

const pageThread = programModule('app/threads/page-thread')
/** Of a thread: enough that it has something to do while the main one is busy, for some 10 ms now and then. */
const pagesAtOnce = 32

/** All that there are but one, which the main thread keeps busy. */
export const pageThreadCount = Math.max(1, availableParallelism() - 1)

/** They start with the first pages, unless they are told to earlier. */
export function pageThreads(count = pageThreadCount): PageThreads {
  return new RealWorkers<PageThreadTask, PageThreadResult>(pageThread, count, pagesAtOnce)
}
