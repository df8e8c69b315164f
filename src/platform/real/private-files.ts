// Private files on the machine's own file systems: made with their mode, so that there is no moment at which others could open them.

import { randomBytes } from 'node:crypto'
import { chmod, link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PrivateFiles } from '../storage/private-files.ts'
import { asDiskError } from './disk/failure.ts'
import { makeFolder } from './disk/folder-making.ts'

const fileMode = 0o600
const folderMode = 0o700

export const realPrivateFiles: PrivateFiles = {
  read: async (path) => {
    try {
      return await readFile(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw asDiskError(path, 'read', error)
    }
  },
  write: async (path, content, { once = false } = {}) => {
    try {
      await makeFolder(dirname(path), folderMode)
      await writeWhole(path, content, once)
      await syncFolder(dirname(path))
      return true
    } catch (error) {
      if (once && (error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw asDiskError(path, 'write', error)
    }
  },
  protect: (path) => chmod(path, fileMode),
  rename: async (from, to) => {
    await rename(from, to)
    await syncFolder(dirname(to))
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
}

async function writeWhole(path: string, content: string | Uint8Array, once: boolean): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`
  const file = await open(draft, 'wx', fileMode)
  try {
    await file.writeFile(content)
    await file.sync()
    await file.close()
    if (once) await link(draft, path)
    else await rename(draft, path)
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
}

/** So that the name of a file survives a power cut, and not its bytes alone. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
