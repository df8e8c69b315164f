// Room on the disks of volume folders: what is free, less the reserve, less what is being written this moment.
//
// Folders may share a disk, and there is no telling which do. So what any of them is writing is counted against all:
// with folders on different disks that refuses a few megabytes early, and never uses the reserve.

import type { Disk } from '../../world/disk.ts'
import { StoreError } from '../store-error.ts'

export class DiskRoom {
  readonly #disk: Disk
  readonly #reserveBytes: number
  #claimedBytes = 0

  constructor(needs: { disk: Disk }, reserveBytes: number) {
    this.#disk = needs.disk
    this.#reserveBytes = reserveBytes
  }

  /** Free bytes beyond the reserve: below 0 when that is in use. */
  async measure(folder: string): Promise<number> {
    return (await this.#disk.freeBytes(folder)) - this.#reserveBytes
  }

  /** Sets bytes aside of what was measured just now, until the answer is called. Throws 'store-no-room'. */
  claim(folder: string, measuredBytes: number, bytes: number): () => void {
    const room = measuredBytes - this.#claimedBytes
    if (room < bytes) throw this.#noRoom(folder, room)
    this.#claimedBytes += bytes
    return () => {
      this.#claimedBytes -= bytes
    }
  }

  #noRoom(folder: string, room: number): StoreError {
    const state =
      room > 0
        ? `${room} bytes of room left`
        : `no room left beyond the ${this.#reserveBytes} bytes that are reserved (store.reserve)`
    return new StoreError('store-no-room', `${folder} has ${state}. Free some room or add a volume folder.`)
  }
}
