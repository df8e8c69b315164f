// Private files for a process under Node's permission model, which lets nobody sync a file or make links: written whole under another
// name and renamed. A power cut may lose the last change; a killed process loses none.

import { randomBytes } from 'node:crypto'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { PrivateFiles } from '../storage/private-files.ts'
import { asDiskError } from './disk/failure.ts'

const mode = 0o600

export const sandboxedFiles: PrivateFiles = {
  read: async (path) => {
    try {
      return await readFile(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw asDiskError(path, 'read', error)
    }
  },
  /** Its folder is there. */
  write: async (path, content, { once = false } = {}) => {
    try {
      if (once) await writeFile(path, content, { flag: 'wx', mode })
      else {
        const draft = `${path}.${randomBytes(6).toString('hex')}.new`
        await writeFile(draft, content, { flag: 'wx', mode })
        await rename(draft, path)
      }
      return true
    } catch (error) {
      if (once && (error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw asDiskError(path, 'write', error)
    }
  },
  protect: (path) => chmod(path, mode),
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { recursive: true, force: true }),
}
