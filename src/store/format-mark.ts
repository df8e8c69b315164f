// The format of a store on disk. A program opens stores of its own format and older ones, and says so of others.

import { join } from 'node:path'
import type { Disk } from '../world/disk.ts'
import { makeLastingFolder } from '../world/lasting-folder.ts'
import { StoreError } from './store-error.ts'

export const storeFormat = 1
const markName = 'format.json'
const markBytesMax = 4096

/** Makes the folder and its mark when there is nothing yet. */
export async function checkFormat({ disk }: { disk: Disk }, folder: string): Promise<void> {
  await makeLastingFolder(disk, folder)
  const path = join(folder, markName)
  const info = await disk.stat(path)
  if (info === undefined) return writeMark(disk, folder, path)
  const file = await disk.open(path, 'read')
  try {
    const text = Buffer.from(await file.read(0, markBytesMax)).toString()
    const format = formatIn(text)
    if (format === storeFormat) return
    const what =
      format === undefined
        ? 'is not a store of this program'
        : `has format ${format}, and this version knows format ${storeFormat}`
    throw new StoreError(
      'store-unknown-format',
      `${folder} ${what}. Use the version of Polyhistor that wrote it.`,
    )
  } finally {
    await file.close()
  }
}

async function writeMark(disk: Disk, folder: string, path: string): Promise<void> {
  // Written aside and renamed, so that a crash leaves no half of it.
  const draft = `${path}.new`
  if ((await disk.stat(draft)) !== undefined) await disk.remove(draft)
  const file = await disk.open(draft, 'create')
  try {
    await file.write(0, Buffer.from(`${JSON.stringify({ program: 'polyhistor', format: storeFormat })}\n`))
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(draft, path)
  await disk.syncFolder(folder)
}

function formatIn(text: string): number | undefined {
  try {
    const mark = JSON.parse(text) as { program?: unknown; format?: unknown }
    return mark.program === 'polyhistor' && typeof mark.format === 'number' ? mark.format : undefined
  } catch {
    return undefined
  }
}
