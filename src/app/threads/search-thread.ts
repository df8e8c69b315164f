// What runs in the thread of the search index: see search-engine.ts. Queries wait for it, so its priority is that of others; most of the
// work of indexing is done in another (text-thread.ts).

import { RealClock } from '../../platform/real/clock.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { RealKeyValues } from '../../platform/real/key-value/key-value.ts'
import type { SearchJob, SearchJobResult } from '../../search/search-client.ts'
import { inlineSearch } from '../search/inline-search.ts'

const disk = new RealDisk()
const search = inlineSearch(
  { clock: new RealClock(), disk, keyValues: new RealKeyValues({ disk }) },
  () => new Promise((resolve) => setImmediate(resolve)),
)

export function work(job: SearchJob): Promise<SearchJobResult> {
  return search.run(job)
}
