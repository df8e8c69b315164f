// Makes folders, and those that lead to them.
//
// Not with `recursive` of Node's mkdir: it never comes back where a folder that is there refuses to have others in it by the
// error ENOENT, as /proc does.

import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** `mode` is that of each one that is made. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeOne(path, mode)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent, mode)
    await makeOne(path, mode)
  }
}

async function makeOne(path: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    // Of one that is there it may be told first that nothing can be made in its place: on a disk that is read-only, say.
    const info = await stat(path).catch(() => undefined)
    if (info?.isDirectory() !== true) throw error
  }
}
