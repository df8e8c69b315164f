// Private files on a simulated disk, which has no other users.

import { dirname, join } from 'node:path'
import type { Disk } from '../storage/disk.ts'
import type { PrivateFiles } from '../storage/private-files.ts'
import { readWhole, writeWhole } from '../storage/whole-file.ts'

export function simulatedPrivateFiles(disk: Disk): PrivateFiles {
  // A file may be written again while it is being written.
  let drafts = 0
  return {
    read: (path) => readWhole(disk, path),
    write: async (path, content, { once = false } = {}) => {
      if (once && (await disk.stat(path)) !== undefined) return false
      await disk.makeFolder(dirname(path))
      await writeWhole(disk, path, content, `${path}.${drafts++}.new`)
      return true
    },
    protect: async () => {},
    rename: async (from, to) => {
      await disk.rename(from, to)
      await disk.syncFolder(dirname(to))
    },
    remove: (path) => removeAll(disk, path),
  }
}

async function removeAll(disk: Disk, path: string): Promise<void> {
  const info = await disk.stat(path)
  if (info === undefined) return
  if (info.kind === 'folder')
    for (const name of await disk.list(path)) await removeAll(disk, join(path, name))
  await disk.remove(path)
}
