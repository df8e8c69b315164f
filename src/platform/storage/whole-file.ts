// Small files, read and written whole. What is written replaces what was there at once: a crash leaves the old or the new one.

import { dirname } from 'node:path'
import type { Disk } from './disk.ts'

/** undefined when there is none. */
export async function readWhole(
  disk: Disk,
  path: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Uint8Array | undefined> {
  if ((await disk.stat(path)) === undefined) return undefined
  const file = await disk.open(path, 'read')
  try {
    return await file.read(0, Math.min(await file.sizeBytes(), bytesMax))
  } finally {
    await file.close()
  }
}

/** Resolves when it survives a power cut. */
export async function writeWhole(
  disk: Disk,
  path: string,
  content: string | Uint8Array,
  draft = `${path}.new`,
): Promise<void> {
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
}
