// Private files for a process under Node's permission model, which lets nobody sync a file or make links: written whole under another
// name and renamed. A power cut may lose the last change; a killed process loses none.

import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import type { PrivateFiles } from '../storage/private-files.ts'
import { asDiskError } from './disk/failure.ts'
import { realPrivateFiles } from './private-files.ts'

const mode = 0o600

export const sandboxedFiles: PrivateFiles = {
  ...realPrivateFiles,
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
  rename: (from, to) => rename(from, to),
}
