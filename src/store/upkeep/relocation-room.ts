// How many volumes can be emptied at once: what lives in them is written anew before their files go, and needs room.

import { isBucketAddress } from '../../platform/storage/bucket.ts'
import type { Disk } from '../../platform/storage/disk.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { VolumeEntry } from '../index/volume-entry.ts'
import type { Share } from '../volumes/disk-room.ts'

/** Of the free room, so that writers have some as well. */
const part = 0.5

/** Compaction and moving off a folder wait for each other. */
export const relocationTurn = 'relocation'

export class RelocationRoom {
  readonly #index: StoreIndex
  readonly #disk: Disk
  readonly #share: Share | undefined

  constructor(needs: { index: StoreIndex; disk: Disk }, share?: Share) {
    this.#index = needs.index
    this.#disk = needs.disk
    this.#share = share
  }

  /** As many of them, in their order, as there is room for; at least one, if there is any that fits into what the store may
   * use. Begun in vain, a large one would use up the room that a smaller one needs. */
  async choose(
    candidates: readonly (readonly [number, VolumeEntry])[],
    notFolder?: number,
  ): Promise<Set<number>> {
    let room = (await this.freeBytes(notFolder)) * part
    const allowed = (await this.#share?.left(true)) ?? Number.POSITIVE_INFINITY
    const chosen = new Set<number>()
    for (const [number, volume] of candidates.filter(([, entry]) => livingBytes(entry) <= allowed)) {
      room -= livingBytes(volume)
      if (chosen.size > 0 && room < 0) break
      chosen.add(number)
    }
    return chosen
  }

  /** In the writable folder that has most: folders may share a disk, and adding them up could count it twice. */
  async freeBytes(notFolder?: number): Promise<number> {
    const folders = [...this.#index.folders()]
      .filter(
        ([number, { mode, path }]) => mode === 'writable' && number !== notFolder && !isBucketAddress(path),
      )
      .map(([, { path }]) => this.#disk.freeBytes(path).catch(() => 0))
    const free = Math.max(0, ...(await Promise.all(folders)))
    return Math.min(free, (await this.#share?.left(true)) ?? free)
  }
}

function livingBytes({ deadBytes, sizeBytes }: VolumeEntry): number {
  return sizeBytes - deadBytes
}

export function livingBytesIn(index: StoreIndex, volumes: Iterable<number>): number {
  let bytes = 0
  for (const number of volumes) {
    const volume = index.volume(number)
    if (volume !== undefined) bytes += livingBytes(volume)
  }
  return bytes
}
