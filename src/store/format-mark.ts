// The format of a store on disk. A program opens stores of its own format and older ones, and says so of others. A mark that
// cannot be read is written anew where the volumes tell that they are of a store of this format.

import { join } from 'node:path'
import { WarcDamage } from '../formats/warc/damage.ts'
import { parseJsonObject } from '../model/json.ts'
import type { Log } from '../platform/log.ts'
import type { Disk } from '../platform/storage/disk.ts'
import { makeLastingFolder } from '../platform/storage/lasting-folder.ts'
import { writeWhole } from '../platform/storage/whole-file.ts'
import { findVolumes } from './rebuild/found-volumes.ts'
import { StoreError } from './store-error.ts'
import { FolderPlace } from './volumes/places/folder-place.ts'
import { readVolumeHead } from './volumes/volume-head.ts'

const storeFormat = 1
const markName = 'format.json'
const markBytesMax = 4096
const ownMark = `${JSON.stringify({ program: 'polyhistor', format: storeFormat })}\n`
/** Volumes that are asked which program wrote them. */
const volumesAsked = 10

/** Makes the folder and its mark when there is nothing yet. */
export async function checkFormat(
  { disk, log }: { disk: Disk; log?: Log | undefined },
  folder: string,
): Promise<void> {
  await makeLastingFolder(disk, folder)
  const path = join(folder, markName)
  const info = await disk.stat(path)
  if (info === undefined) return writeWhole(disk, path, ownMark)
  const mark = parseJsonObject(await readMark(disk, path))
  if (mark === undefined) return mend({ disk, log }, folder, path)
  const format = formatIn(mark)
  if (format === storeFormat) return
  const what =
    format === undefined
      ? 'is not a store of this program'
      : `has format ${format}, and this version knows format ${storeFormat}`
  throw new StoreError(
    'store-unknown-format',
    `${folder} ${what}. Use the version of Polyhistor that wrote it.`,
  )
}

/** What checkFormat would find, without writing anything. */
export async function formatState(
  disk: Disk,
  folder: string,
): Promise<'missing' | 'known' | 'damaged' | 'other'> {
  const path = join(folder, markName)
  if ((await disk.stat(path)) === undefined) return 'missing'
  const mark = parseJsonObject(await readMark(disk, path))
  if (mark === undefined) return 'damaged'
  return formatIn(mark) === storeFormat ? 'known' : 'other'
}

async function readMark(disk: Disk, path: string): Promise<string> {
  const file = await disk.open(path, 'read')
  try {
    return Buffer.from(await file.read(0, markBytesMax)).toString()
  } finally {
    await file.close()
  }
}

async function mend(
  { disk, log }: Parameters<typeof checkFormat>[0],
  folder: string,
  path: string,
): Promise<void> {
  if (!(await hasOwnVolumes(disk, join(folder, 'volumes')))) {
    throw new StoreError(
      'store-unknown-format',
      `${path} is damaged, and no volume in ${folder} tells which program wrote it. If this is a store of Polyhistor, put that file back from a backup.`,
    )
  }
  await writeWhole(disk, path, ownMark)
  log?.warn(
    { path },
    'The format mark of the store was damaged. Its volumes are sound: it is made anew from them',
  )
}

/** Whether a volume says that this program wrote it. */
async function hasOwnVolumes(disk: Disk, folder: string): Promise<boolean> {
  for (const { path } of (await findVolumes([new FolderPlace({ disk }, folder)])).slice(0, volumesAsked)) {
    const file = await disk.open(path, 'read')
    try {
      const { warcinfo } = await readVolumeHead(async (at, length) =>
        Buffer.from(await file.read(at, length)),
      )
      if (/^software: polyhistor /m.test(Buffer.from(warcinfo.block).toString())) return true
    } catch (error) {
      if (!(error instanceof WarcDamage)) throw error
      // Another may be sound.
    } finally {
      await file.close()
    }
  }
  return false
}

function formatIn({ program, format }: { program?: unknown; format?: unknown }): number | undefined {
  return program === 'polyhistor' && typeof format === 'number' ? format : undefined
}
