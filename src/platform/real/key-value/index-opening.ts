// What is done before LMDB maps a file: its beginning is looked at (index-header.ts), and where that is cheap, or the last process to
// use it did not close it, all of its pages (index-pages.ts). So a page that has rotted is told, and does not end the process.
//
// A mark lies beside the file while it is in use. Whoever finds it there knows that the last process was killed, or was ended by
// the system over a rotten page. It need not survive a power cut, after which LMDB goes back to what was synced.

import { open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disk } from '../../storage/disk.ts'
import { KeyValueError } from '../../storage/key-value.ts'
import { checkIndexHeader } from './index-header.ts'
import { pagesFault } from './index-pages.ts'

const dataName = 'data.mdb'
const lockName = 'lock.mdb'
/** As many as LMDB takes, in whole pages. Of a larger file it takes all. */
const lockBytes = 12 * 1024
const markName = 'unclosed'
/** A file up to this size is looked at whenever it is opened: some milliseconds. */
export const smallBytes = 4 * 1024 * 1024
/** A larger one is not looked at: that would take more than a minute. */
const largeBytes = 16 * 1024 * 1024 * 1024

/** Where the mark lies while the map in this folder is in use. */
export function unclosedMark(folder: string): string {
  return join(folder, markName)
}

/** Throws 'index-damaged'. */
export async function checkBeforeMapping(disk: Disk, folder: string): Promise<void> {
  const path = join(folder, dataName)
  await checkIndexHeader(disk, path)
  const sizeBytes = (await disk.stat(path))?.sizeBytes ?? 0
  const bytesMax = (await disk.stat(unclosedMark(folder))) === undefined ? smallBytes : largeBytes
  if (sizeBytes > bytesMax) return
  const fault = await pagesFault(disk, path)
  if (fault !== undefined) {
    throw new KeyValueError(
      'index-damaged',
      `The index ${path} is damaged: ${fault}. Build the index of a store again with: polyhistor store rebuild. Any other map can be moved away, and is begun anew.`,
    )
  }
}

/**
 * LMDB maps its lock file, which it would make as a hole: on a full disk the first touch of that ends the process (SIGBUS). Written
 * before, it has its blocks. Throws 'index-full'. Nobody else uses the file: whoever opens a map holds the lock of the home.
 */
export async function fillLockFile(folder: string): Promise<void> {
  const path = join(folder, lockName)
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && found.size >= lockBytes && found.blocks > 0) return
  try {
    const file = await open(path, 'w')
    try {
      await file.writeFile(new Uint8Array(lockBytes))
    } finally {
      await file.close()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // Of anything else LMDB tells by itself.
    if (code !== 'ENOSPC' && code !== 'EDQUOT') return
    throw new KeyValueError(
      'index-full',
      `The index in ${folder} cannot be opened: ${message}. Free some room on its disk.`,
      error,
    )
  }
}

/** On a full disk it is done without. */
export async function markInUse(folder: string): Promise<void> {
  await writeFile(unclosedMark(folder), `${process.pid}\n`).catch(() => {})
}

export async function markClosed(folder: string): Promise<void> {
  await rm(unclosedMark(folder), { force: true }).catch(() => {})
}
