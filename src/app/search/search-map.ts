// The map of the search index, opened in its folder; emptied first where it is begun anew.

import { join } from 'node:path'
import { type Disk, DiskError } from '../../platform/storage/disk.ts'
import type { KeyValue, KeyValues } from '../../platform/storage/key-value.ts'
import { searchTables } from '../../search/index/search-index.ts'

export async function openSearchMap(
  { disk, keyValues }: { disk: Disk; keyValues: KeyValues },
  folder: string,
  isFresh: boolean,
): Promise<KeyValue> {
  if (isFresh) await empty(disk, folder)
  return keyValues.open(folder, { tables: searchTables })
}

async function empty(disk: Disk, folder: string): Promise<void> {
  if ((await disk.stat(folder)) === undefined) return
  for (const name of await disk.list(folder)) {
    try {
      await disk.remove(join(folder, name))
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
    }
  }
}
