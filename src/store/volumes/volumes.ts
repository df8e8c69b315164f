// The volume folders: which there are, which take writes, and which of them a record goes to.
//
// A record goes to the folder with the most room, or to the one its caller names. When the chosen one fails before
// anything is acknowledged, the next is tried, unless the caller named it.

import { dirname, join, resolve } from 'node:path'
import type { Disk } from '../../world/disk.ts'
import { DiskError } from '../../world/disk.ts'
import type { Log } from '../../world/log.ts'
import type { WrittenLocation } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { FolderEntry, VolumeEntry } from '../index/volume-entry.ts'
import { StoreError } from '../store-error.ts'
import { markFolder } from './folder-mark.ts'
import type { VolumeMaker } from './volume-maker.ts'
import { type Appending, VolumeWriter, type VolumeWriterOptions } from './volume-writer.ts'

export class Volumes {
  readonly #index: StoreIndex
  readonly #disk: Disk
  readonly #log: Log
  readonly #maker: VolumeMaker
  readonly #options: VolumeWriterOptions
  readonly #writers = new Map<number, VolumeWriter>()

  constructor(
    needs: { index: StoreIndex; disk: Disk; log: Log; maker: VolumeMaker },
    options: VolumeWriterOptions,
  ) {
    this.#index = needs.index
    this.#disk = needs.disk
    this.#log = needs.log
    this.#maker = needs.maker
    this.#options = options
  }

  /** Brings files and index into line after a crash, and opens what is still active. */
  async recover(): Promise<void> {
    const folders = this.#index.folders()
    for (const [number, folder] of folders)
      if (folder.mode === 'writable') this.#addWriter(number, folder.path)
    for (const [number, volume] of this.#index.volumes()) {
      const folder = folders.get(volume.folder)
      if (folder !== undefined) await this.#recoverVolume(number, volume, folder)
    }
  }

  folders(): Map<number, FolderEntry> {
    return this.#index.folders()
  }

  /** Adds a folder, or changes the mode of one that is there. */
  async setFolder(path: string, mode: FolderEntry['mode']): Promise<void> {
    const wanted = resolve(path)
    const existing = this.#numberOf(wanted)
    if (mode === 'writable') await markFolder(this.#disk, wanted)
    const number = await this.#index.changeForGood(() => {
      const number = existing ?? this.#index.note<number>('nextFolder') ?? 1
      if (existing === undefined) this.#index.putNote('nextFolder', number + 1)
      this.#index.putFolder(number, { path: wanted, mode })
      return number
    })
    const writer = this.#writers.get(number)
    if (mode === 'writable' && writer === undefined) this.#addWriter(number, wanted)
    if (mode === 'read-only' && writer !== undefined) {
      this.#writers.delete(number)
      await writer.seal()
      await writer.close()
    }
  }

  /** Forgets a folder from which everything has been moved. */
  async removeFolder(path: string): Promise<void> {
    const number = this.folderNumber(path)
    const left = [...this.#index.volumes().values()].filter((volume) => volume.folder === number)
    if (left.length > 0) {
      throw new StoreError(
        'store-no-room',
        `${path} still holds ${left.length} volumes. Move them off first.`,
      )
    }
    await this.setFolder(path, 'read-only')
    await this.#index.changeForGood(() => this.#index.removeFolder(number))
  }

  folderNumber(path: string): number {
    const number = this.#numberOf(resolve(path))
    if (number !== undefined) return number
    const known = [...this.#index.folders().values()].map((folder) => folder.path).join(', ')
    throw new StoreError(
      'store-unknown-folder',
      `${path} is not a volume folder of this store. There are: ${known}`,
    )
  }

  /** Resolves when durable and indexed. `folder` is a path; `notFolder` is for moving away from one. */
  async append(
    appending: Appending,
    choice: { folder?: string; notFolder?: number } = {},
  ): Promise<WrittenLocation> {
    if (choice.folder !== undefined) return this.#writerOf(choice.folder).append(appending)
    const writers = [...this.#writers.values()]
      .filter((writer) => writer.folder !== choice.notFolder)
      .sort((left, right) => right.roomBytes - left.roomBytes)
    let failure: unknown = new StoreError(
      'store-no-room',
      'No volume folder takes writes. Add one with: polyhistor store volumes --add FOLDER',
    )
    for (const writer of writers) {
      try {
        return await writer.append(appending)
      } catch (error) {
        // What flows by cannot be asked for twice, and not every failure is the folder's.
        if (!isFolderFailure(error) || !(appending.bytes instanceof Uint8Array)) throw error
        failure = error
      }
    }
    throw failure
  }

  /** Seals the active volume of a folder, or all of them. */
  async seal(folder?: number): Promise<void> {
    for (const writer of this.#writers.values()) {
      if (folder === undefined || writer.folder === folder) await writer.seal()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#writers.values()].map((writer) => writer.close()))
    this.#writers.clear()
  }

  #writerOf(path: string): VolumeWriter {
    const number = this.folderNumber(path)
    const writer = this.#writers.get(number)
    if (writer !== undefined) return writer
    throw new StoreError('store-no-room', `${path} is read-only. Make it writable, or choose another folder.`)
  }

  #numberOf(path: string): number | undefined {
    for (const [number, folder] of this.#index.folders()) if (folder.path === path) return number
    return undefined
  }

  #addWriter(number: number, path: string): void {
    const needs = { index: this.#index, disk: this.#disk, log: this.#log, maker: this.#maker }
    this.#writers.set(number, new VolumeWriter(needs, { number, path }, this.#options))
  }

  async #recoverVolume(number: number, volume: VolumeEntry, folder: FolderEntry): Promise<void> {
    const path = join(folder.path, volume.name)
    try {
      const info = await this.#disk.stat(path)
      if (volume.sizeBytes === 0 || volume.state === 'emptied') {
        if (info !== undefined) await this.#removeFile(path)
        await this.#index.changeForGood(() => this.#index.removeVolume(number))
        return
      }
      if (info === undefined) {
        this.#log.error({ path }, 'A volume is missing; is its disk mounted?')
        return
      }
      if (info.sizeBytes < volume.sizeBytes) {
        this.#log.error(
          { path, has: info.sizeBytes, should: volume.sizeBytes },
          'A volume has lost its end; scrub it',
        )
      }
      await this.#openVolume(number, volume, path, info.sizeBytes)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#log.error({ path, error }, 'A volume cannot be opened')
    }
  }

  async #openVolume(number: number, volume: VolumeEntry, path: string, fileBytes: number): Promise<void> {
    const writer = this.#writers.get(volume.folder)
    if (volume.state !== 'active' && fileBytes <= volume.sizeBytes) return
    if (writer === undefined) return
    const file = await this.#disk.open(path, 'write')
    // What lies beyond was never acknowledged, and may be torn.
    if (fileBytes > volume.sizeBytes) {
      await file.truncate(volume.sizeBytes)
      await file.sync()
    }
    const canGoOn = volume.state === 'active' && fileBytes >= volume.sizeBytes
    if (canGoOn && writer.resume({ number, file, sizeBytes: volume.sizeBytes })) return
    await file.close()
    await this.#index.changeForGood(() => this.#index.putVolume(number, { ...volume, state: 'sealed' }))
  }

  async #removeFile(path: string): Promise<void> {
    await this.#disk.remove(path)
    await this.#disk.syncFolder(dirname(path))
  }
}

function isFolderFailure(error: unknown): boolean {
  return error instanceof DiskError || (error instanceof StoreError && error.retry === 'later')
}
