// After a crash: are the bytes there that a record of the journal stands on?
//
// A file that is gone tells nothing: its disk may not be mounted, and what was acknowledged must not be lost for that. One
// that cannot be read is an error: to go on would be to guess.
//
// What is read may come from memory, and need not be on disk: when a sync has failed, the operating system forgets that
// those bytes are still to be written. The process that would have been told may have been killed. So they are written
// once more.

import { crc32 } from 'node:zlib'
import { type Disk, DiskError, type DiskFile } from '../storage/disk.ts'
import type { NotedGround } from './journal-record.ts'

const portionBytes = 1024 * 1024

/** Those that hold are safe from a power cut from now on, if they were not. */
export async function holds(disk: Disk, ground: NotedGround): Promise<boolean> {
  const file = await opened(disk, ground.path)
  if (file === undefined) return true
  try {
    let checksum = 0
    let length = 0
    for await (const [, bytes] of portionsOf(file, ground)) {
      checksum = crc32(bytes, checksum)
      length += bytes.length
    }
    if (length < ground.length || checksum !== ground.checksum) return false
    for await (const [position, bytes] of portionsOf(file, ground)) await file.write(position, bytes)
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

/** Less than the whole when the file ends before. */
async function* portionsOf(
  file: DiskFile,
  { offset, length }: NotedGround,
): AsyncGenerator<[position: number, bytes: Uint8Array]> {
  for (let at = 0; at < length; at += portionBytes) {
    const position = offset + at
    yield [position, await file.read(position, Math.min(portionBytes, length - at))]
  }
}
