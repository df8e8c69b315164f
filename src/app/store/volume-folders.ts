// The folders that volumes lie in, as their owner sees and changes them.

import type { FolderEntry } from '../../store/index/volume-entry.ts'
import type { Store } from '../../store/store.ts'

/** A folder, or a bucket. */
export interface VolumeFolder {
  readonly folder: string
  readonly mode: FolderEntry['mode']
  readonly volumes: number
  readonly bytes: number
  /** Of a bucket: why it cannot be asked, as far as is known. */
  readonly trouble?: string
}

export async function volumeFolders(store: Store): Promise<VolumeFolder[]> {
  const { volumes } = await store.stat()
  const folders = [...store.volumes.folders().values()].map(async ({ path, mode }) => {
    const inside = volumes.filter((volume) => volume.path.startsWith(`${path}/`))
    const trouble = await store.bucketTrouble(path)
    return {
      folder: path,
      mode,
      volumes: inside.length,
      bytes: inside.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(trouble && { trouble: trouble.why }),
    }
  })
  return Promise.all(folders)
}

/** `isNew`: it may be one that the store does not know yet; else a typo would add a folder. */
export async function setVolumeFolder(
  store: Store,
  path: string,
  mode: FolderEntry['mode'],
  isNew: boolean,
): Promise<void> {
  if (!isNew) store.volumes.folderNumber(path)
  await store.volumes.setFolder(path, mode)
}
