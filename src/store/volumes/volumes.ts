// The volume folders: which there are, which take writes, and which of them a record goes to. A bucket is one, too, but takes
// only volumes that are closed: see upkeep/volume-transfer.ts.
//
// A record goes to the folder with the most room, or to the one its caller names. When the chosen one fails before
// anything is acknowledged, the next is tried, unless the caller named it.

import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { type Disk, DiskError } from '../../platform/storage/disk.ts'
import type { WrittenLocation } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { FolderEntry } from '../index/volume-entry.ts'
import { StoreError } from '../store-error.ts'
import type { Appending } from './appending.ts'
import { DiskRoom, type Share } from './disk-room.ts'
import { placePath, type VolumePlaces } from './places/volume-places.ts'
import type { VolumeMaker } from './volume-maker.ts'
import { VolumeRecovery } from './volume-recovery.ts'
import { VolumeWriter } from './volume-writer.ts'

export interface VolumesOptions {
  /** A volume that has reached it is sealed. */
  volumeBytesMax: number
  /** Room to leave free on every disk. */
  /** A function where it may change. */
  reserveBytes: number | (() => number)
  share?: Share | undefined
}

/** A folder is looked at when it is written to; after so many records all are, since others use the disks too. */
const recordsPerLook = 256
/** A note of the index. */
export const storeIdNote = 'storeId'

export class Volumes {
  readonly #index: StoreIndex
  readonly #disk: Disk
  readonly #log: Log
  readonly #clock: Clock
  readonly #maker: VolumeMaker
  readonly #places: VolumePlaces
  readonly #random: Random
  readonly #options: VolumesOptions
  readonly #room: DiskRoom
  readonly #writers = new Map<number, VolumeWriter>()
  #recordsTillLook = recordsPerLook
  #isClosed = false

  constructor(
    needs: {
      index: StoreIndex
      disk: Disk
      log: Log
      clock: Clock
      random: Random
      maker: VolumeMaker
      places: VolumePlaces
    },
    options: VolumesOptions,
  ) {
    this.#index = needs.index
    this.#disk = needs.disk
    this.#log = needs.log
    this.#clock = needs.clock
    this.#maker = needs.maker
    this.#places = needs.places
    this.#random = needs.random
    this.#options = options
    this.#room = new DiskRoom(needs, options.reserveBytes, options.share)
  }

  /** Brings files and index into line after a crash, and goes on with what is still active. */
  async recover(): Promise<void> {
    const recovery = new VolumeRecovery({
      index: this.#index,
      disk: this.#disk,
      log: this.#log,
      maker: this.#maker,
    })
    for (const [number, folder] of this.#index.folders()) {
      // What lies in a bucket was complete when it came there, and nobody waits for it to answer.
      if (!this.#places.of(folder.path).isWritable) continue
      if (folder.mode === 'writable') this.#addWriter(number, folder.path)
      const writer = this.#writers.get(number)
      await recovery.recover(number, folder, (volume) => writer?.resume(volume) ?? false)
    }
    await this.#look()
  }

  folders(): Map<number, FolderEntry> {
    return this.#index.folders()
  }

  /** Adds a folder, or changes the mode of one that is there. */
  async setFolder(path: string, mode: FolderEntry['mode']): Promise<void> {
    const wanted = placePath(path)
    if (mode === 'writable') await this.#prepare(wanted)
    const number = await this.#index.changeForGood(() => {
      const existing = this.#numberOf(wanted)
      const number = existing ?? this.#index.note<number>('nextFolder') ?? 1
      if (existing === undefined) this.#index.putNote('nextFolder', number + 1)
      this.#index.putFolder(number, { path: wanted, mode })
      return number
    })
    if (mode === 'writable' && this.#places.of(wanted).isWritable) this.#addWriter(number, wanted)
    else await this.#removeWriter(number)
    await this.#look()
  }

  /** Forgets a folder from which everything has been moved. */
  async removeFolder(path: string): Promise<void> {
    const number = this.folderNumber(path)
    this.#checkEmpty(number, path)
    await this.setFolder(path, 'read-only')
    await this.#index.changeForGood(() => {
      this.#checkEmpty(number, path)
      this.#index.removeFolder(number)
    })
  }

  folderNumber(path: string): number {
    const number = this.#numberOf(placePath(path))
    if (number !== undefined) return number
    const known = [...this.#index.folders().values()].map((folder) => folder.path).join(', ')
    throw new StoreError(
      'store-unknown-folder',
      `${path} is not a volume folder of this store. There are: ${known}`,
    )
  }

  get isWriting(): boolean {
    return [...this.#writers.values()].some(({ isRunning }) => isRunning)
  }

  /** Resolves when durable and indexed. `folder` is a path; `notFolder` is for moving away from one. */
  async append(
    appending: Appending,
    choice: { folder?: string | undefined; notFolder?: number } = {},
  ): Promise<WrittenLocation> {
    this.#checkOpen()
    if (choice.folder !== undefined) return this.#writerOf(choice.folder).append(appending)
    if (--this.#recordsTillLook <= 0) {
      await this.#look()
      this.#checkOpen()
    }
    const writers = this.#writersByRoom(choice.notFolder)
    return writers.length === 1 ? writers[0]!.append(appending) : this.#appendToAny(writers, appending)
  }

  /** Seals the active volume of a folder, or all of them. */
  async seal(folder?: number): Promise<void> {
    for (const writer of this.#writers.values()) {
      if (folder === undefined || writer.folder === folder) await writer.seal()
    }
  }

  /** Finishes what was taken before, and takes no more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#writers.values()].map((writer) => writer.close()))
    this.#writers.clear()
  }

  async #appendToAny(writers: VolumeWriter[], appending: Appending): Promise<WrittenLocation> {
    const { bytes, isBegun } = watched(appending.bytes)
    const { isMove } = appending
    const retried: Appending = { bytes, isMove, commit: (location) => appending.commit(location) }
    let failure: unknown
    for (const writer of writers) {
      try {
        return await writer.append(retried)
      } catch (error) {
        // What flows by cannot be asked for twice, and not every failure is the folder's.
        if (!isFolderFailure(error) || isBegun()) throw error
        failure = error
      }
    }
    this.#checkOpen()
    throw failure ?? noFolder()
  }

  /** The most room first. */
  #writersByRoom(notFolder: number | undefined): VolumeWriter[] {
    const writers: VolumeWriter[] = []
    for (const writer of this.#writers.values()) if (writer.folder !== notFolder) writers.push(writer)
    return writers.length > 1 ? writers.sort((left, right) => right.roomBytes - left.roomBytes) : writers
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreError('store-closed', 'The store is closed.')
  }

  async #look(): Promise<void> {
    this.#recordsTillLook = recordsPerLook
    await Promise.all([...this.#writers.values()].map((writer) => writer.measure()))
  }

  #writerOf(path: string): VolumeWriter {
    const number = this.folderNumber(path)
    const writer = this.#writers.get(number)
    if (writer !== undefined) return writer
    throw new StoreError(
      'store-no-room',
      this.#places.of(placePath(path)).isWritable
        ? `${path} is read-only. Make it writable, or choose another folder.`
        : `${path} is a bucket, which takes only volumes that are closed. Choose a folder.`,
    )
  }

  #numberOf(path: string): number | undefined {
    for (const [number, folder] of this.#index.folders()) if (folder.path === path) return number
    return undefined
  }

  async #prepare(path: string): Promise<void> {
    const number = this.#numberOf(path)
    const holdsVolumes = number !== undefined && this.#volumeCount(number) > 0
    await this.#places.of(path).prepare(await this.#storeId(), holdsVolumes)
  }

  /** Tells this store's volumes in buckets from those of others. */
  async #storeId(): Promise<string> {
    const known = this.#index.note<string>(storeIdNote)
    if (known !== undefined) return known
    const id = this.#random.uuid()
    await this.#index.changeForGood(() => this.#index.putNote(storeIdNote, id))
    return id
  }

  /** Room for so many bytes more in a folder, set aside until the answer is called. Throws 'store-no-room'. */
  async claimRoom(folder: string, bytes: number): Promise<() => void> {
    return this.#room.claim(folder, await this.#room.measure(folder, true), bytes)
  }

  #checkEmpty(number: number, path: string): void {
    const left = this.#volumeCount(number)
    if (left === 0) return
    throw new StoreError('store-no-room', `${path} still holds ${left} volumes. Move them off first.`)
  }

  #volumeCount(folder: number): number {
    return [...this.#index.volumes().values()].filter((volume) => volume.folder === folder).length
  }

  #addWriter(number: number, path: string): void {
    if (this.#writers.has(number)) return
    const needs = {
      index: this.#index,
      disk: this.#disk,
      log: this.#log,
      clock: this.#clock,
      maker: this.#maker,
      room: this.#room,
    }
    this.#writers.set(number, new VolumeWriter(needs, { number, path }, this.#options.volumeBytesMax))
  }

  async #removeWriter(number: number): Promise<void> {
    const writer = this.#writers.get(number)
    if (writer === undefined) return
    this.#writers.delete(number)
    try {
      await writer.seal()
    } finally {
      await writer.close()
    }
  }
}

/** Tells whether what flows by has begun to. */
function watched(bytes: Appending['bytes']): { bytes: Appending['bytes']; isBegun(): boolean } {
  if (bytes instanceof Uint8Array) return { bytes, isBegun: () => false }
  let isBegun = false
  async function* flowing(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    isBegun = true
    yield* source
  }
  return {
    bytes: { [Symbol.asyncIterator]: () => flowing(bytes)[Symbol.asyncIterator]() },
    isBegun: () => isBegun,
  }
}

/** Made only when it is needed: an error takes longer to make than most of what append does. */
function noFolder(): StoreError {
  return new StoreError(
    'store-no-room',
    'No volume folder takes writes. Add one with: polyhistor store volumes --add FOLDER',
  )
}

function isFolderFailure(error: unknown): boolean {
  if (error instanceof DiskError) return true
  return (
    error instanceof StoreError && (error.code === 'store-no-room' || error.code === 'store-volume-missing')
  )
}
