// What runs in the thread that reads pages for search: see text-work.ts.

import { workWhenIdle } from '../../platform/real/threads/low-priority.ts'
import { readForSearch } from '../../search/text/text-work.ts'

workWhenIdle()

export const work = readForSearch
