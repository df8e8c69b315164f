// What the sums cost while nobody compares: bytes of index, and time to keep them.

import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import { RealKeyValues } from '../../src/platform/real/key-value/key-value.ts'
import { cpuMs, entriesFrom, type Layout, openHoldings, withFolder } from './replicas.ts'

export interface Costs {
  /** In pages in use, as the other. */
  sumBytes: number
  /** What keys of ring key and id would take in a table, with nothing to find the entry by. */
  idTableBytes: number
  addUs: number
  plainAddUs: number
  coverUs: number
}

const entriesAtOnce = 64
const entriesToCoverAtOnce = 1_000

export async function measureCosts(layout: Layout): Promise<Costs> {
  const counted = await addAll(layout, true)
  const uncounted = await addAll(layout, false)
  return {
    sumBytes: (counted.sizeBytes - uncounted.sizeBytes) / layout.entries,
    idTableBytes: (await sizeOfIdTable(layout)) / layout.entries,
    addUs: counted.addUs,
    plainAddUs: uncounted.addUs,
    coverUs: uncounted.coverUs,
  }
}

/** In no order, as captures come from many sites at once. */
function addAll(
  layout: Layout,
  isCounted: boolean,
): Promise<{ sizeBytes: number; addUs: number; coverUs: number }> {
  const { entries } = layout
  return withFolder(async (folder) => {
    const holdings = await openHoldings(folder)
    if (isCounted) await holdings.coverAll()
    let addMs = 0
    for (let number = 0; number < entries; number += entriesAtOnce) {
      const some = Array.from({ length: Math.min(entriesAtOnce, entries - number) }, (_, index) =>
        layout.entryOf(((number + index) * 7_919) % entries),
      )
      const startMs = cpuMs()
      if (isCounted) await holdings.add(some)
      else await holdings.addUncounted(some)
      addMs += cpuMs() - startMs
    }
    const sizeBytes = await holdings.sizeBytes()
    const startMs = cpuMs()
    await holdings.coverAll(entriesToCoverAtOnce)
    const coverMs = cpuMs() - startMs
    await holdings.close()
    return { sizeBytes, addUs: (addMs * 1_000) / entries, coverUs: (coverMs * 1_000) / entries }
  })
}

function sizeOfIdTable(layout: Layout): Promise<number> {
  return withFolder(async (folder) => {
    const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
    const table = map.table('ids')
    for (let number = 0; number < layout.entries; number += 1_000) {
      await map.transaction(() => {
        for (const { key, id } of entriesFrom(layout, number, 1_000)) {
          table.put(Buffer.concat([key.subarray(0, 20), id]), new Uint8Array())
        }
      })
    }
    const sizeBytes = await map.transaction(() => map.sizeBytes())
    await map.close()
    return sizeBytes
  })
}
