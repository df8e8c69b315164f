// What the sums cost while nobody compares: bytes of index, and time to keep them.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { allKeys } from '../../src/replica/sums/key-range.ts'
import type { RosterEntry } from '../../src/replica/sums/roster.ts'
import { RealDisk } from '../../src/world/real/disk.ts'
import { RealKeyValues } from '../../src/world/real/key-value.ts'
import { cpuMs, entriesFrom, type Layout, openHoldings, type Replicas, withFolder } from './replicas.ts'

export interface Costs {
  sumBytes: number
  /** What keys of ring key and id would take in a table, with nothing to find the entry by. */
  idTableBytes: number
  addUs: number
  plainAddUs: number
  coverUs: number
}

/** As many as are put together: enough for pages to fill as they do. */
const entriesMeasured = 100_000
const entriesAtOnce = 64

export async function measureCosts(layout: Layout, { there, coverUs }: Replicas): Promise<Costs> {
  const count = Math.min(entriesMeasured, layout.entries)
  const sums = await addingTo(layout, count, 'counted')
  const plain = await addingTo(layout, count, 'uncounted')
  const idTableBytes = await sizeOfIdTable(entriesFrom(layout, 0, count))
  if (there.sums.sumOf(allKeys).count !== layout.entries) throw new Error('entries are missing')
  return {
    sumBytes: (sums.bytes - plain.bytes) / count,
    idTableBytes: idTableBytes / count,
    addUs: sums.addUs,
    plainAddUs: plain.addUs,
    coverUs,
  }
}

/** In no order, as captures come from many sites at once. */
async function addingTo(
  layout: Layout,
  count: number,
  kind: 'counted' | 'uncounted',
): Promise<{ bytes: number; addUs: number }> {
  return withFolder(async (folder) => {
    const holdings = await openHoldings(folder)
    await holdings.coverAll()
    let elapsedMs = 0
    for (let number = 0; number < count; number += entriesAtOnce) {
      const entries = Array.from({ length: Math.min(entriesAtOnce, count - number) }, (_, index) =>
        layout.entryOf(((number + index) * 7_919) % count),
      )
      const startMs = cpuMs()
      if (kind === 'counted') await holdings.add(entries)
      else await holdings.addUncounted(entries)
      elapsedMs += cpuMs() - startMs
    }
    await holdings.close()
    return { bytes: await indexBytes(folder), addUs: (elapsedMs * 1_000) / count }
  })
}

async function sizeOfIdTable(entries: RosterEntry[]): Promise<number> {
  return withFolder(async (folder) => {
    const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
    const table = map.table('ids')
    for (let at = 0; at < entries.length; at += 1_000) {
      await map.transaction(() => {
        for (const { key, id } of entries.slice(at, at + 1_000)) {
          table.put(Buffer.concat([key.subarray(0, 20), id]), new Uint8Array())
        }
      })
    }
    await map.close()
    return indexBytes(folder)
  })
}

async function indexBytes(folder: string): Promise<number> {
  return (await stat(join(folder, 'data.mdb'))).size
}
