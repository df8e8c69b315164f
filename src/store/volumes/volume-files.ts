// Reading from volumes: a bounded number of files held open.
//
// A volume may be compacted away between a look into the index and the read: then the caller looks again.

import { join } from 'node:path'
import type { Disk, DiskFile } from '../../world/disk.ts'
import { DiskError } from '../../world/disk.ts'
import type { Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { StoreError } from '../store-error.ts'

const filesOpenMax = 128

export class VolumeFiles {
  readonly #index: StoreIndex
  readonly #disk: Disk
  /** The least recently used first. */
  readonly #open = new Map<number, Promise<DiskFile>>()

  constructor(needs: { index: StoreIndex; disk: Disk }) {
    this.#index = needs.index
    this.#disk = needs.disk
  }

  path(volume: number): string {
    const entry = this.#index.volume(volume)
    const folder = entry && this.#index.folders().get(entry.folder)
    if (entry === undefined || folder === undefined) {
      throw new StoreError('store-volume-missing', `Volume ${volume} is not in the index.`)
    }
    return join(folder.path, entry.name)
  }

  /** The bytes at a location: fewer only when the file ends before. */
  async read(location: Location): Promise<Buffer> {
    const file = await this.#file(location.volume)
    const bytes = await file.read(location.offset, location.length)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  async *stream(location: Location, chunkBytes = 256 * 1024): AsyncGenerator<Uint8Array> {
    const file = await this.#file(location.volume)
    const end = location.offset + location.length
    for (let position = location.offset; position < end; ) {
      const chunk = await file.read(position, Math.min(chunkBytes, end - position))
      if (chunk.length === 0) return
      position += chunk.length
      yield chunk
    }
  }

  /** Before a volume's file is removed. */
  async forget(volume: number): Promise<void> {
    const file = this.#open.get(volume)
    this.#open.delete(volume)
    await file?.then((open) => open.close()).catch(() => {})
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((volume) => this.forget(volume)))
  }

  #file(volume: number): Promise<DiskFile> {
    let file = this.#open.get(volume)
    if (file !== undefined) this.#open.delete(volume)
    else {
      file = this.#openFile(volume)
      file.catch(() => this.#open.delete(volume))
      const oldest = this.#open.keys().next()
      if (this.#open.size >= filesOpenMax && !oldest.done) void this.forget(oldest.value)
    }
    this.#open.set(volume, file)
    return file
  }

  async #openFile(volume: number): Promise<DiskFile> {
    const path = this.path(volume)
    try {
      return await this.#disk.open(path, 'read')
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'disk-not-found') throw error
      throw new StoreError('store-volume-missing', `${path} is missing. Is its disk mounted?`, error)
    }
  }
}
