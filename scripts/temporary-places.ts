// Where temporary folders may lie: as this process was started, and in memory. Read once, before anything changes TMPDIR.

import { accessSync, constants, statfsSync } from 'node:fs'

const inMemory = '/dev/shm'
/** Thirty megabytes would do, but stores keep a gigabyte free. Containers often have 64 megabytes only. */
const roomBytesMin = 4 * 2 ** 30

/** What TMPDIR was. */
export const diskFolder = process.env.TMPDIR

/** The same where there is no room in memory. */
export const memoryFolder = hasRoom(inMemory) ? inMemory : diskFolder

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= roomBytesMin
  } catch {
    return false
  }
}
