// Room on the disks of volume folders: what is free, less the reserve, less what is being written this moment.
//
// Folders may share a disk, and there is no telling which do. So what any of them is writing is counted against all:
// with folders on different disks that refuses a few megabytes early, and never uses the reserve.
// Whoever runs the store may allow it less than the disks have: its share.

import type { Disk } from '../../platform/storage/disk.ts'
import { StoreError } from '../store-error.ts'

/** What the store may use, however much the disks have. */
export interface Share {
  /** Bytes left of it: for what is new or, `isMoving`, for what is written anew so that more can be freed. */
  left(isMoving: boolean): Promise<number>
  /** So many are about to be written. */
  use(bytes: number): void
  /** Files have gone. */
  freed(): void
  /** Why no more is taken, and what can be done about it. */
  readonly refusal: string
}

export class DiskRoom {
  readonly #disk: Disk
  readonly #reserveBytes: () => number
  readonly #share: Share | undefined
  #claimedBytes = 0
  /** When last measured, less was left of the share than of the disk. */
  #isShareLess = false

  constructor(needs: { disk: Disk }, reserveBytes: number | (() => number), share?: Share) {
    this.#disk = needs.disk
    this.#reserveBytes = typeof reserveBytes === 'number' ? () => reserveBytes : reserveBytes
    this.#share = share
  }

  /** Free bytes beyond the reserve: below 0 when that is in use. */
  async measure(folder: string, isMoving = false): Promise<number> {
    const freeBytes = (await this.#disk.freeBytes(folder)) - this.#reserveBytes()
    if (this.#share === undefined) return freeBytes
    const leftBytes = await this.#share.left(isMoving)
    this.#isShareLess = leftBytes < freeBytes
    return Math.min(freeBytes, leftBytes)
  }

  /** Sets bytes aside of what was measured just now, until the answer is called. Throws 'store-no-room'. */
  claim(folder: string, measuredBytes: number, bytes: number): () => void {
    const room = measuredBytes - this.#claimedBytes
    if (room < bytes) throw this.#noRoom(folder, room)
    this.#claimedBytes += bytes
    this.#share?.use(bytes)
    return () => {
      this.#claimedBytes -= bytes
    }
  }

  #noRoom(folder: string, room: number): StoreError {
    if (this.#share !== undefined && this.#isShareLess)
      return new StoreError('store-no-room', this.#share.refusal)
    const state =
      room > 0
        ? `${room} bytes of room left`
        : `no room left beyond the ${this.#reserveBytes()} bytes that are reserved (store.reserve)`
    return new StoreError('store-no-room', `${folder} has ${state}. Free some room or add a volume folder.`)
  }
}
