// Archives that are sent to be imported: each lies in the spool until it has been read, for that takes more than one look.
//
// Never whole in memory. What would use the reserve of the disk, or is larger than the owner allows, is refused: before the first byte
// where its length was told, else when it comes to that.

import type { Disk } from '../../platform/storage/disk.ts'
import type { Spool, SpoolFile } from '../../store/spool.ts'
import { StoreError } from '../../store/store-error.ts'

export interface UploadLimits {
  readonly bytesMax: number
  /** Of the disk of the home: left free. */
  readonly reserveBytes: () => number
}

export const uploadLimitsDefault: UploadLimits = {
  bytesMax: 10_000_000_000,
  reserveBytes: () => 1_000_000_000,
}

/** How much may come between two looks at the disk. */
const lookBytes = 64 * 1024 * 1024

export class Uploads {
  readonly #disk: Pick<Disk, 'freeBytes'>
  readonly #spool: Spool
  readonly #home: string
  readonly #limits: UploadLimits

  constructor(needs: { disk: Pick<Disk, 'freeBytes'>; spool: Spool }, home: string, limits: UploadLimits) {
    this.#disk = needs.disk
    this.#spool = needs.spool
    this.#home = home
    this.#limits = limits
  }

  /** What may be sent now. */
  async bytesMax(): Promise<number> {
    return Math.max(0, Math.min(this.#limits.bytesMax, await this.#roomBytes()))
  }

  /** Throws 'store-no-room' before the reserve would be used. Whoever has the file discards it. */
  async receive(chunks: AsyncIterable<Uint8Array>): Promise<SpoolFile> {
    const file = await this.#spool.open()
    try {
      let lookAtBytes = 0
      for await (const chunk of chunks) {
        if (file.sizeBytes >= lookAtBytes) {
          if ((await this.#roomBytes()) < lookBytes) throw noRoom(file.sizeBytes)
          lookAtBytes = file.sizeBytes + lookBytes
        }
        await file.append(chunk)
      }
      return file
    } catch (error) {
      await file.discard()
      throw error
    }
  }

  async #roomBytes(): Promise<number> {
    return (await this.#disk.freeBytes(this.#home)) - this.#limits.reserveBytes()
  }
}

function noRoom(sizeBytes: number): StoreError {
  return new StoreError(
    'store-no-room',
    `The disk of this archive has no room for this file: after ${sizeBytes} bytes only what is kept free (store.reserve) is left. Free some room, and send it again.`,
  )
}
