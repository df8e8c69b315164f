// The spool: files for bytes that are too many for memory and needed only for a while, such as a large answer that is
// measured before it is kept. Nothing here is synced; what a crash leaves behind is removed at the next use.

import { join } from 'node:path'
import { type Disk, DiskError, type DiskFile } from '../platform/storage/disk.ts'

const chunkBytes = 256 * 1024

export class Spool {
  readonly #disk: Disk
  readonly #folder: string
  #cleared: Promise<void> | undefined
  #count = 0

  constructor(needs: { disk: Disk }, folder: string) {
    this.#disk = needs.disk
    this.#folder = folder
  }

  /** A new, empty file. */
  async open(): Promise<SpoolFile> {
    await (this.#cleared ??= this.#clear())
    const path = join(this.#folder, `${this.#count++}.tmp`)
    return new SpoolFile(this.#disk, await this.#disk.open(path, 'create'))
  }

  async #clear(): Promise<void> {
    await this.#disk.makeFolder(this.#folder)
    for (const name of await this.#disk.list(this.#folder)) {
      if (/^\d+\.tmp$/.test(name)) await this.#disk.remove(join(this.#folder, name))
    }
  }
}

export class SpoolFile {
  readonly #disk: Disk
  readonly #file: DiskFile
  #sizeBytes = 0

  constructor(disk: Disk, file: DiskFile) {
    this.#disk = disk
    this.#file = file
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  async append(chunk: Uint8Array): Promise<void> {
    await this.#file.write(this.#sizeBytes, chunk)
    this.#sizeBytes += chunk.length
  }

  read(position: number, length: number): Promise<Uint8Array> {
    return this.#file.read(position, Math.max(0, Math.min(length, this.#sizeBytes - position)))
  }

  /** Can be asked for again. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < this.#sizeBytes; ) {
      const chunk = await this.read(position, chunkBytes)
      if (chunk.length === 0) return
      position += chunk.length
      yield chunk
    }
  }

  /** The file is gone after that. Discarding again does nothing. */
  async discard(): Promise<void> {
    await this.#file.close()
    try {
      await this.#disk.remove(this.#file.path)
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'disk-not-found') throw error
    }
  }
}
