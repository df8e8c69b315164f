// The folders of the old index and of the one that is being made: what the old one still tells, and the change from one to the
// other.

import { dirname, join } from 'node:path'
import { type Disk, DiskError } from '../../platform/storage/disk.ts'
import type { KeyValues } from '../../platform/storage/key-value.ts'
import { StoreIndex } from '../index/store-index.ts'
import type { FolderEntry } from '../index/volume-entry.ts'

interface Needs {
  readonly disk: Disk
  readonly keyValues: KeyValues
}

/** undefined when the old index cannot tell. */
export async function foldersIn(
  { disk, keyValues }: Needs,
  path: string,
): Promise<FolderEntry[] | undefined> {
  if ((await disk.stat(path)) === undefined) return undefined
  try {
    const map = await keyValues.open(path, { hasJournal: true })
    try {
      const folders = [...new StoreIndex(map, dirname(path)).folders().values()]
      return folders.length > 0 ? folders : undefined
    } finally {
      await map.close()
    }
  } catch {
    // That it cannot be read is why we are here.
    return undefined
  }
}

/** Puts the new index in its place, and gives where the old one is now. */
export async function swap(
  disk: Disk,
  folder: string,
  { old, draft }: { old: string; draft: string },
): Promise<string | undefined> {
  let aside: string | undefined
  if ((await disk.stat(old)) !== undefined) {
    for (let number = 1; aside === undefined; number++) {
      const path = join(folder, `index.old-${number}`)
      if ((await disk.stat(path)) === undefined) aside = path
    }
    await disk.rename(old, aside)
  }
  await disk.rename(draft, old)
  await disk.syncFolder(folder)
  return aside
}

/** What an earlier try left behind. */
export async function removeFolder(disk: Disk, path: string): Promise<void> {
  try {
    for (const name of await disk.list(path)) await disk.remove(join(path, name))
    await disk.remove(path)
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== 'disk-not-found') throw error
  }
}
