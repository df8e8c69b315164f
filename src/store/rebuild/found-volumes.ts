// The volumes that lie in some places, with the numbers that they had, as far as their names tell: that is the order in which
// they were begun.

import type { Disk } from '../../platform/storage/disk.ts'
import { FolderPlace } from '../volumes/places/folder-place.ts'
import type { VolumePlace } from '../volumes/places/volume-place.ts'
import { volumePath } from '../volumes/places/volume-places.ts'

export interface FoundVolume {
  readonly number: number
  /** Which of the places it lies in, from 1. */
  readonly folder: number
  readonly path: string
  readonly name: string
  readonly sizeBytes: number
}

const volumePattern = /\.warc(?:\.gz|\.zst)?$/
const serialPattern = /-\d{14}-(\d+)-[^-].*\.warc/

/** One that lies in two of them, of the same size, was being moved: the one in the earlier place is taken. */
export async function findVolumes(places: readonly VolumePlace[]): Promise<FoundVolume[]> {
  const found = new Map<string, Omit<FoundVolume, 'number'>>()
  for (const [at, place] of places.entries()) {
    for (const { name, sizeBytes } of await place.list()) {
      const id = `${name} ${sizeBytes}`
      if (!volumePattern.test(name) || found.has(id)) continue
      found.set(id, { folder: at + 1, path: volumePath(place.path, name), name, sizeBytes })
    }
  }
  const sorted = [...found.values()].sort(
    (left, right) => serialOf(left.name) - serialOf(right.name) || (left.name < right.name ? -1 : 1),
  )
  let last = 0
  return sorted.map((one) => ({ ...one, number: (last = Math.max(last + 1, serialOf(one.name))) }))
}

/** Whether there are volumes in the folder that a store without index would have. */
export async function hasVolumes(disk: Disk, folder: string): Promise<boolean> {
  return (await findVolumes([new FolderPlace({ disk }, folder)])).length > 0
}

function serialOf(name: string): number {
  return Number(serialPattern.exec(name)?.[1] ?? 0)
}
