// The volumes that lie in some folders, with the numbers that they had, as far as their names tell: that is the order in which
// they were begun.

import { join } from 'node:path'
import type { Disk } from '../../platform/disk.ts'

export interface FoundVolume {
  readonly number: number
  /** Which of the folders it lies in, from 1. */
  readonly folder: number
  readonly path: string
  readonly name: string
  readonly sizeBytes: number
}

const volumePattern = /\.warc(?:\.gz|\.zst)?$/
const serialPattern = /-\d{14}-(\d+)-[^-].*\.warc/

export async function findVolumes(disk: Disk, folders: readonly string[]): Promise<FoundVolume[]> {
  const found: Omit<FoundVolume, 'number'>[] = []
  for (const [place, path] of folders.entries()) {
    for (const name of await volumeNames(disk, path)) {
      const info = await disk.stat(join(path, name))
      found.push({ folder: place + 1, path: join(path, name), name, sizeBytes: info?.sizeBytes ?? 0 })
    }
  }
  found.sort((left, right) => serialOf(left.name) - serialOf(right.name) || (left.name < right.name ? -1 : 1))
  let last = 0
  return found.map((one) => ({ ...one, number: (last = Math.max(last + 1, serialOf(one.name))) }))
}

/** Whether there are volumes in the folder that a store without index would have. */
export async function hasVolumes(disk: Disk, folder: string): Promise<boolean> {
  return (await volumeNames(disk, folder)).length > 0
}

function serialOf(name: string): number {
  return Number(serialPattern.exec(name)?.[1] ?? 0)
}

async function volumeNames(disk: Disk, folder: string): Promise<string[]> {
  if ((await disk.stat(folder)) === undefined) return []
  return (await disk.list(folder)).filter((name) => volumePattern.test(name))
}
