// Writes records to the volumes of one folder, one volume at a time, many callers to a flush.
//
// Appended means: bytes written and synced, the callers' index changes committed and flushed; only then are the callers
// told. While one batch is being indexed the next is written. A batch that fails fails whole: its callers get the error,
// its bytes are cut off or left as dead weight, and the next batch starts anew.
//
// Invariant: below a volume's sizeBytes in the index every byte is synced. Above it nothing is promised; opening the
// store cuts it off.

import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import type { Disk, DiskFile } from '../../world/disk.ts'
import { DiskError } from '../../world/disk.ts'
import type { Log } from '../../world/log.ts'
import type { WrittenLocation } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { StoreError } from '../store-error.ts'
import type { VolumeBirth, VolumeMaker } from './volume-maker.ts'

/** Whole records, as they are to be stored. */
export interface Appending {
  /** In memory, or too large for it: then it flows by, and is asked for only once. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  /** Runs inside the index change, when the bytes are safe. If it throws, this appending alone fails. */
  commit(location: WrittenLocation): void
}

export interface VolumeWriterOptions {
  /** A volume that has reached it is sealed. */
  volumeBytesMax: number
  /** Room to leave free on the disk. */
  reserveBytes: number
}

interface Waiting {
  appending: Appending
  resolve(location: WrittenLocation): void
  reject(error: unknown): void
}

interface Active {
  number: number
  file: DiskFile
  /** Where the next batch goes. */
  position: number
  /** What the index vouches for. */
  indexedBytes: number
}

interface Written {
  waiting: Waiting
  location: WrittenLocation
}

const batchBytesMax = 8 * 1024 * 1024
const batchCountMax = 1_024

export class VolumeWriter {
  readonly #index: StoreIndex
  readonly #disk: Disk
  readonly #log: Log
  readonly #maker: VolumeMaker
  readonly #options: VolumeWriterOptions
  readonly folder: number
  readonly path: string
  #waiting: Waiting[] = []
  #queuedBytes = 0
  #freeBytes = Number.POSITIVE_INFINITY
  #active: Active | undefined
  #running: Promise<void> | undefined
  #indexing: Promise<void> = Promise.resolve()

  constructor(
    needs: { index: StoreIndex; disk: Disk; log: Log; maker: VolumeMaker },
    folder: { number: number; path: string },
    options: VolumeWriterOptions,
  ) {
    this.#index = needs.index
    this.#disk = needs.disk
    this.#log = needs.log
    this.#maker = needs.maker
    this.#options = options
    this.folder = folder.number
    this.path = folder.path
  }

  /** Room as last seen, less what already waits for it. For choosing among folders. */
  get roomBytes(): number {
    return this.#freeBytes - this.#options.reserveBytes - this.#queuedBytes
  }

  /** Goes on with a volume that an earlier run left active. False when it has one already: a crash can leave two. */
  resume(volume: { number: number; file: DiskFile; sizeBytes: number }): boolean {
    if (this.#active !== undefined) return false
    const { number, file, sizeBytes } = volume
    this.#active = { number, file, position: sizeBytes, indexedBytes: sizeBytes }
    return true
  }

  /** Resolves when the records are durable and indexed. */
  append(appending: Appending): Promise<WrittenLocation> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ appending, resolve, reject })
      this.#queuedBytes += lengthOf(appending)
      this.#running ??= this.#run()
    })
  }

  /** Seals the active volume, so that it can be compacted or moved. */
  async seal(): Promise<void> {
    await this.idle()
    await this.#seal()
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async close(): Promise<void> {
    await this.idle()
    const active = this.#active
    this.#active = undefined
    await active?.file.close()
  }

  async #run(): Promise<void> {
    // Let callers of the same moment join the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch()
      try {
        const written = await this.#write(batch)
        // One batch is indexed while the next is written, no more: memory stays bounded.
        await this.#indexing
        this.#indexing = this.#commit(written)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    await this.#indexing
    this.#running = this.#waiting.length > 0 ? this.#run() : undefined
  }

  #takeBatch(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { appending } of this.#waiting) {
      // What flows by has a batch of its own.
      if (!(appending.bytes instanceof Uint8Array)) {
        if (count === 0) count = 1
        break
      }
      bytes += appending.bytes.length
      if (count > 0 && (bytes > batchBytesMax || count >= batchCountMax)) break
      count++
    }
    const batch = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    for (const { appending } of batch) this.#queuedBytes -= lengthOf(appending)
    return batch
  }

  async #write(batch: Waiting[]): Promise<{ active: Active; end: number; records: Written[] }> {
    const bytes = batch.reduce((sum, { appending }) => sum + lengthOf(appending), 0)
    await this.#checkRoom(bytes)
    const active = await this.#activeFor(bytes)
    const start = active.position
    try {
      const records = await this.#writeAll(active, batch)
      await active.file.sync()
      return { active, end: active.position, records }
    } catch (error) {
      await this.#afterFailedWrite(active, start, error)
      throw error
    }
  }

  async #writeAll(active: Active, batch: Waiting[]): Promise<Written[]> {
    const records: Written[] = []
    const first = batch[0]!.appending.bytes
    if (!(first instanceof Uint8Array)) {
      const offset = active.position
      let checksum = 0
      for await (const chunk of first) {
        await active.file.write(active.position, chunk)
        active.position += chunk.length
        checksum = crc32(chunk, checksum)
      }
      const location = { volume: active.number, offset, length: active.position - offset, checksum }
      return [{ waiting: batch[0]!, location }]
    }
    const chunks: Uint8Array[] = []
    let offset = active.position
    for (const waiting of batch) {
      const chunk = waiting.appending.bytes as Uint8Array
      const location = { volume: active.number, offset, length: chunk.length, checksum: crc32(chunk) }
      records.push({ waiting, location })
      chunks.push(chunk)
      offset += chunk.length
    }
    await active.file.write(active.position, ...chunks)
    active.position = offset
    return records
  }

  async #commit({
    active,
    end,
    records,
  }: {
    active: Active
    end: number
    records: Written[]
  }): Promise<void> {
    const failures = new Map<Waiting, unknown>()
    try {
      await this.#index.changeForGood(() => {
        failures.clear()
        const entry = this.#index.volume(active.number)
        assert(entry !== undefined, `volume ${active.number} is written but not in the index`)
        // Bytes between what was indexed and this batch belong to batches that could not be indexed.
        entry.deadBytes += records[0]!.location.offset - active.indexedBytes
        entry.sizeBytes = end
        this.#index.putVolume(active.number, entry)
        for (const { waiting, location } of records) this.#commitOne(waiting, location, failures)
      })
      active.indexedBytes = end
    } catch (error) {
      for (const { waiting } of records) waiting.reject(error)
      return
    }
    for (const { waiting, location } of records) {
      if (failures.has(waiting)) waiting.reject(failures.get(waiting))
      else waiting.resolve(location)
    }
  }

  #commitOne(waiting: Waiting, location: WrittenLocation, failures: Map<Waiting, unknown>): void {
    try {
      waiting.appending.commit(location)
    } catch (error) {
      // A typed refusal changed nothing yet and concerns this one only; anything else undoes the batch.
      if (!(error instanceof CommitRefusal)) throw error
      failures.set(waiting, error.reason)
      const entry = this.#index.volume(location.volume)!
      entry.deadBytes += location.length
      this.#index.putVolume(location.volume, entry)
    }
  }

  async #checkRoom(bytes: number): Promise<void> {
    this.#freeBytes = await this.#disk.freeBytes(this.path)
    if (this.#freeBytes - this.#options.reserveBytes >= bytes) return
    throw new StoreError(
      'store-no-room',
      `${this.path} has ${this.#freeBytes} bytes free, of which ${this.#options.reserveBytes} are reserved (store.reserve). Free some room or add a volume folder.`,
    )
  }

  async #activeFor(bytes: number): Promise<Active> {
    const active = this.#active
    if (active !== undefined) {
      const isYoung = active.position <= this.#maker.headBytes
      if (isYoung || active.position + bytes <= this.#options.volumeBytesMax) return active
      await this.#seal()
    }
    const birth: VolumeBirth = await this.#maker.make(this.folder, this.path)
    this.#active = { ...birth, position: birth.sizeBytes, indexedBytes: birth.sizeBytes }
    return this.#active
  }

  async #seal(): Promise<void> {
    await this.#indexing
    const active = this.#active
    if (active === undefined) return
    await this.#index.changeForGood(() => {
      const entry = this.#index.volume(active.number)
      if (entry !== undefined) this.#index.putVolume(active.number, { ...entry, state: 'sealed' })
    })
    this.#active = undefined
    await active.file.close()
  }

  /** Makes the next batch start clean: on the same volume when the failed bytes could be cut off, else on a new one. */
  async #afterFailedWrite(active: Active, start: number, error: unknown): Promise<void> {
    await this.#indexing
    active.position = start
    this.#log.warn({ folder: this.path, volume: active.number, error }, 'Writing to a volume failed')
    if (error instanceof DiskError && error.code === 'disk-full') {
      try {
        await active.file.truncate(start)
        return
      } catch {
        // Then this volume is done with: a new one is tried next time.
      }
    }
    // After a failed sync the kernel may have dropped bytes that it took: never write to this file again.
    try {
      await this.#seal()
    } catch {
      // The index cannot be written either. The file is left as it is; the index still vouches for the bytes before.
      this.#active = undefined
      await active.file.close().catch(() => {})
    }
  }
}

/** Thrown by `commit` before it changes anything: the reason is what the caller gets. */
export class CommitRefusal {
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

function lengthOf({ bytes }: Appending): number {
  return bytes instanceof Uint8Array ? bytes.length : 0
}
