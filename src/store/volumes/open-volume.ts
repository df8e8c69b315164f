// The volume that is being written: its file, and where the next record goes.
//
// Invariants: a write that fails moves nothing; its bytes are cut off, or else the volume is spoiled. A spoiled volume is
// never written to again: after a failed sync the kernel may have dropped bytes that it took, and says so only once.
// What the index vouches for lies before, and was synced. What was written is synced by whoever indexes it.

import { crc32 } from 'node:zlib'
import { DiskError, type DiskFile } from '../../platform/storage/disk.ts'
import type { Ground } from '../../platform/storage/key-value.ts'
import type { WrittenLocation } from '../index/location.ts'
import type { RecordBytes } from './appending.ts'

/** A volume with records up to `sizeBytes`, and nothing that matters behind. */
export interface ResumedVolume {
  number: number
  file: DiskFile
  sizeBytes: number
  headBytes: number
}

export interface WrittenRecords {
  /** Where each lies. */
  locations: WrittenLocation[]
  /** All of them, for whoever indexes them: they are not synced. */
  ground: Ground
}

export class OpenVolume {
  readonly number: number
  readonly #headBytes: number
  readonly #file: DiskFile
  #position: number
  #syncedBytes: number
  #isSpoiled = false
  #syncFailure: { error: unknown } | undefined

  constructor(volume: ResumedVolume) {
    this.number = volume.number
    this.#headBytes = volume.headBytes
    this.#file = volume.file
    this.#position = volume.sizeBytes
    this.#syncedBytes = volume.sizeBytes
  }

  /** Where the next record goes. */
  get position(): number {
    return this.#position
  }

  /** Holds nothing but its head. */
  get isEmpty(): boolean {
    return this.#position <= this.#headBytes
  }

  get isSpoiled(): boolean {
    return this.#isSpoiled
  }

  /** Nothing more is to be written to it, nor cut off. */
  spoil(): void {
    this.#isSpoiled = true
  }

  /** Everything in it is safe from a power cut. */
  get isSynced(): boolean {
    return this.#syncedBytes === this.#position
  }

  /** Writes all behind one another. */
  async write(records: readonly RecordBytes[]): Promise<WrittenRecords> {
    const start = this.#position
    try {
      const locations = await this.#writeAll(records)
      return { locations, ground: this.#groundOf(locations, records) }
    } catch (error) {
      this.#position = start
      if (!this.#isSpoiled) await this.cut(start)
      throw error
    }
  }

  /** Once it has failed it fails for good: a later one would tell nothing of what was lost. */
  async sync(): Promise<void> {
    if (this.#syncFailure !== undefined) throw this.#syncFailure.error
    const written = this.#position
    try {
      await this.#file.sync()
      this.#syncedBytes = written
    } catch (error) {
      this.#isSpoiled = true
      this.#syncFailure = { error }
      throw error
    }
  }

  /** Cuts off everything from there; the volume is spoiled when that fails. */
  async cut(sizeBytes: number): Promise<void> {
    this.#position = sizeBytes
    this.#syncedBytes = Math.min(this.#syncedBytes, sizeBytes)
    try {
      await this.#file.truncate(sizeBytes)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#isSpoiled = true
    }
  }

  /** Everything that counts is synced: a failure to close tells nothing new. */
  async close(): Promise<void> {
    await this.#file.close().catch(() => {})
  }

  async #writeAll(records: readonly RecordBytes[]): Promise<WrittenLocation[]> {
    if (records.every((bytes) => bytes instanceof Uint8Array)) return this.#writeWhole(records)
    const locations: WrittenLocation[] = []
    for (const chunks of records) {
      const offset = this.#position
      let checksum = 0
      for await (const chunk of chunks instanceof Uint8Array ? [chunks] : chunks) {
        await this.#put([chunk])
        checksum = crc32(chunk, checksum)
      }
      locations.push({ volume: this.number, offset, length: this.#position - offset, checksum })
    }
    return locations
  }

  async #writeWhole(records: readonly Uint8Array[]): Promise<WrittenLocation[]> {
    let offset = this.#position
    await this.#put(records)
    return records.map((bytes) => {
      const { length } = bytes
      offset += length
      return { volume: this.number, offset: offset - length, length, checksum: crc32(bytes) }
    })
  }

  async #put(chunks: readonly Uint8Array[]): Promise<void> {
    try {
      await this.#file.write(this.#position, ...chunks)
    } catch (error) {
      // A full disk took less than it was given, no worse. Of any other failure nobody knows.
      if (!(error instanceof DiskError) || error.code !== 'disk-full') this.#isSpoiled = true
      throw error
    }
    for (const { length } of chunks) this.#position += length
  }

  #groundOf(locations: readonly WrittenLocation[], records: readonly RecordBytes[]): Ground {
    const { offset, checksum } = locations[0]!
    return {
      path: this.#file.path,
      offset,
      length: this.#position - offset,
      // Only a record by itself flows by.
      checksum:
        records.length === 1 ? checksum : records.reduce((sum, bytes) => crc32(bytes as Uint8Array, sum), 0),
      sync: () => this.sync(),
    }
  }
}
