// How many volumes can be emptied at once: what lives in them is written anew before their files go, and needs room.

import type { Disk } from '../world/disk.ts'
import type { StoreIndex } from './index/store-index.ts'
import type { VolumeEntry } from './index/volume-entry.ts'

/** Of the free room, so that writers have some as well. */
const share = 0.5

/** Compaction and moving off a folder wait for each other. */
export const relocationTurn = 'relocation'

export class RelocationRoom {
  readonly #index: StoreIndex
  readonly #disk: Disk

  constructor(needs: { index: StoreIndex; disk: Disk }) {
    this.#index = needs.index
    this.#disk = needs.disk
  }

  /** As many of them, in their order, as there is room for; at least one, if there is any. */
  async choose(
    candidates: readonly (readonly [number, VolumeEntry])[],
    notFolder?: number,
  ): Promise<Set<number>> {
    let room = (await this.freeBytes(notFolder)) * share
    const chosen = new Set<number>()
    for (const [number, volume] of candidates) {
      room -= livingBytes(volume)
      if (chosen.size > 0 && room < 0) break
      chosen.add(number)
    }
    return chosen
  }

  /** In the writable folder that has most: folders may share a disk, and adding them up could count it twice. */
  async freeBytes(notFolder?: number): Promise<number> {
    const folders = [...this.#index.folders()]
      .filter(([number, { mode }]) => mode === 'writable' && number !== notFolder)
      .map(([, { path }]) => this.#disk.freeBytes(path).catch(() => 0))
    return Math.max(0, ...(await Promise.all(folders)))
  }
}

export function livingBytes({ deadBytes, sizeBytes }: VolumeEntry): number {
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
