// The threads of search: one has the index, one reads pages for it. They start when they are first asked.

import { programModule } from '../../platform/program-files.ts'
import { BoundedWorkers } from '../../platform/real/threads/bounded-workers.ts'
import { RealWorkers } from '../../platform/real/threads/workers.ts'
import type { SearchJob, SearchJobResult, SearchWorkers } from '../../search/search-client.ts'
import type { AnalysedPage } from '../../search/text/analysed-page.ts'
import type { TextWork } from '../../search/text/text-work.ts'

const searchModule = programModule('app/threads/search-thread')
const textModule = programModule('app/threads/text-thread')
/** Queries that it is sent while it does others. */
const ordersAhead = 64
/** Of a page; what takes more has no text. */
const limits = { jobMsMax: 20_000, heapMegabytesMax: 512 }

export function searchThread(): SearchWorkers {
  return new RealWorkers<SearchJob, SearchJobResult>(searchModule, 1, ordersAhead)
}

export function textThread(): BoundedWorkers<TextWork, AnalysedPage> {
  return new BoundedWorkers<TextWork, AnalysedPage>(textModule, limits)
}
