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

interface HeldFile {
  file: Promise<DiskFile>
  /** How many read from it right now. */
  users: number
  isForgotten: boolean
}

export class VolumeFiles {
  readonly #index: StoreIndex
  readonly #disk: Disk
  /** The least recently used first. */
  readonly #open = new Map<number, HeldFile>()

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
    return this.#using(location.volume, async (file) => {
      const bytes = await file.read(location.offset, location.length)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    })
  }

  async *stream(location: Location, chunkBytes = 256 * 1024): AsyncGenerator<Uint8Array> {
    const held = this.#hold(location.volume)
    try {
      const file = await held.file
      const end = location.offset + location.length
      for (let position = location.offset; position < end; ) {
        const chunk = await file.read(position, Math.min(chunkBytes, end - position))
        if (chunk.length === 0) return
        position += chunk.length
        yield chunk
      }
    } finally {
      this.#letGo(held)
    }
  }

  /** Before a volume's file is removed. Who reads from it reads on; the file is closed behind the last of them. */
  forget(volume: number): void {
    const held = this.#open.get(volume)
    if (held === undefined) return
    this.#open.delete(volume)
    held.isForgotten = true
    if (held.users === 0) void close(held)
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map(close))
  }

  async #using<T>(volume: number, work: (file: DiskFile) => Promise<T>): Promise<T> {
    const held = this.#hold(volume)
    try {
      return await work(await held.file)
    } finally {
      this.#letGo(held)
    }
  }

  #hold(volume: number): HeldFile {
    let held = this.#open.get(volume)
    if (held !== undefined) this.#open.delete(volume)
    else {
      const file = this.#openFile(volume)
      held = { file, users: 0, isForgotten: false }
      file.catch(() => this.forget(volume))
      const oldest = this.#open.keys().next()
      if (this.#open.size >= filesOpenMax && !oldest.done) this.forget(oldest.value)
    }
    this.#open.set(volume, held)
    held.users++
    return held
  }

  #letGo(held: HeldFile): void {
    held.users--
    if (held.isForgotten && held.users === 0) void close(held)
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

async function close({ file }: HeldFile): Promise<void> {
  await file.then((open) => open.close()).catch(() => {})
}
