// A small file that tells a volume folder from an empty mount point: without it nothing is written there, so that a
// disk that is not mounted does not fill the one below it.

import { join, sep } from 'node:path'
import { type Disk, DiskError } from '../../platform/storage/disk.ts'
import { makeLastingFolder } from '../../platform/storage/lasting-folder.ts'
import { StoreError } from '../store-error.ts'

const markName = 'polyhistor-volumes.txt'
const markText =
  'This folder holds WARC volumes of a Polyhistor store. Any WARC tool reads them; add and remove nothing by hand.\n'

export async function markFolder(disk: Disk, folder: string): Promise<void> {
  await makeLastingFolder(disk, folder)
  try {
    const file = await disk.open(join(folder, markName), 'create')
    try {
      await file.write(0, Buffer.from(markText))
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== 'disk-already-exists') throw error
  }
  await disk.syncFolder(folder)
}

export async function hasFolderMark(disk: Disk, folder: string): Promise<boolean> {
  // Not by join, which takes as long as the look: every batch of records comes here.
  return (await disk.stat(folder + sep + markName)) !== undefined
}

export async function checkFolderMark(disk: Disk, folder: string): Promise<void> {
  if (await hasFolderMark(disk, folder)) return
  throw new StoreError(
    'store-volume-missing',
    `${folder} is not a volume folder, or its disk is not mounted.`,
  )
}
