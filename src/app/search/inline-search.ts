// The search index without a thread of its own: for simulations, and for disks that cannot be written to.

import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/storage/disk.ts'
import type { KeyValues } from '../../platform/storage/key-value.ts'
import { inlineWorkers } from '../../platform/workers.ts'
import { jobResultOf, type SearchWorkers } from '../../search/search-client.ts'
import { SearchEngine } from '../../search/search-engine.ts'
import { openSearchMap } from './search-map.ts'

interface Needs {
  readonly clock: Clock
  readonly disk: Disk
  readonly keyValues: KeyValues
}

export function inlineSearch(
  { clock, ...maps }: Needs,
  breathe: () => Promise<void> = async () => {},
): SearchWorkers {
  const engines = new Map<string, SearchEngine>()
  return inlineWorkers(({ folder, order }) => {
    const known = engines.get(folder)
    const openMap = (isFresh: boolean) => openSearchMap(maps, folder, isFresh)
    const engine = known ?? new SearchEngine({ clock, openMap, breathe })
    if (order.kind === 'close') engines.delete(folder)
    else engines.set(folder, engine)
    return jobResultOf(engine, order)
  })
}
