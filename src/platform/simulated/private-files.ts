// Private files on a simulated disk, which has no other users.

import { dirname, join } from 'node:path'
import type { Disk } from '../storage/disk.ts'
import type { PrivateFiles } from '../storage/private-files.ts'

export function simulatedPrivateFiles(disk: Disk): PrivateFiles {
  // A file may be written again while it is being written.
  let drafts = 0
  return {
    read: async (path) => {
      if ((await disk.stat(path)) === undefined) return undefined
      const file = await disk.open(path, 'read')
      try {
        return await file.read(0, await file.sizeBytes())
      } finally {
        await file.close()
      }
    },
    write: async (path, content, { once = false } = {}) => {
      if (once && (await disk.stat(path)) !== undefined) return false
      await disk.makeFolder(dirname(path))
      const draft = `${path}.${drafts++}.new`
      if ((await disk.stat(draft)) !== undefined) await disk.remove(draft)
      const file = await disk.open(draft, 'create')
      try {
        await file.write(0, Buffer.from(content))
        await file.sync()
      } finally {
        await file.close()
      }
      await disk.rename(draft, path)
      await disk.syncFolder(dirname(path))
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
