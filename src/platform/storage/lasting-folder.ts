// Makes a folder that survives a power cut: also the names of the parents that had to be made for it.

import { dirname } from 'node:path'
import { type Disk, DiskError } from './disk.ts'

export async function makeLastingFolder(disk: Disk, folder: string): Promise<void> {
  const isMissing = new Set<string>()
  for (let path = folder; (await disk.stat(path)) === undefined; path = dirname(path)) isMissing.add(path)
  await disk.makeFolder(folder)
  // A folder's name is kept by the folder that holds it. Those that were there may be just made too, by a run that was
  // killed here; but high up they need not be ours to sync.
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const isOurs = path === folder || isMissing.has(path)
    await disk.syncFolder(dirname(path)).catch((error: unknown) => {
      const isForbidden = error instanceof DiskError && error.code === 'disk-not-permitted'
      if (isOurs || !isForbidden) throw error
    })
  }
}
