// After a crash: are the bytes there that a record of the journal stands on?
//
// A file that is gone tells nothing: its disk may not be mounted, and what was acknowledged must not be lost for that. One
// that cannot be read is an error: to go on would be to guess.

import { crc32 } from 'node:zlib'
import { type Disk, DiskError, type DiskFile } from '../disk.ts'
import type { NotedGround } from './journal-record.ts'

const portionBytes = 1024 * 1024

/** Those that hold are safe from a power cut from now on, if they were not. */
export async function holds(disk: Disk, ground: NotedGround): Promise<boolean> {
  const file = await opened(disk, ground.path)
  if (file === undefined) return true
  try {
    if ((await checksumOf(file, ground)) !== ground.checksum) return false
    await file.sync()
    return true
  } finally {
    await file.close()
  }
}

async function opened(disk: Disk, path: string): Promise<DiskFile | undefined> {
  try {
    return await disk.open(path, 'write')
  } catch (error) {
    if (error instanceof DiskError && error.code === 'disk-not-found') return undefined
    throw error
  }
}

/** undefined when the file ends before. */
async function checksumOf(file: DiskFile, { offset, length }: NotedGround): Promise<number | undefined> {
  let checksum = 0
  for (let at = 0; at < length; at += portionBytes) {
    const wanted = Math.min(portionBytes, length - at)
    const bytes = await file.read(offset + at, wanted)
    if (bytes.length < wanted) return undefined
    checksum = crc32(bytes, checksum)
  }
  return checksum
}
