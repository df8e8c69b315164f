// A file that many callers append to: whoever comes while one sync is under way shares the next.

import { open } from 'node:fs/promises'
import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import type { DiskFile } from '../../src/platform/storage/disk.ts'

interface Waiting {
  bytes: Uint8Array
  done(offset: number): void
  failed(error: unknown): void
}

export class GroupFile {
  readonly #file: DiskFile
  readonly #zeros: Uint8Array
  #position = 0
  /** Where the zeros end. */
  #sizeBytes = 0
  #waiting: Waiting[] = []
  #isWriting = false

  private constructor(file: DiskFile, aheadBytes: number) {
    this.#file = file
    this.#zeros = Buffer.alloc(aheadBytes)
  }

  /** `aheadBytes`: by how much it grows at a time. Where it need not grow, a sync has less to write. */
  static async open(path: string, aheadBytes: number): Promise<GroupFile> {
    await (await open(path, 'wx')).close()
    return new GroupFile(await new RealDisk().open(path, 'write'), aheadBytes)
  }

  /** Resolves when they are safe. */
  append(bytes: Uint8Array): Promise<number> {
    return new Promise((done, failed) => {
      this.#waiting.push({ bytes, done, failed })
      if (!this.#isWriting) void this.#write()
    })
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#file.read(offset, length)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Callers of the same moment go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#writeGroup(this.#waiting.splice(0, 1_000))
    this.#isWriting = false
  }

  async #writeGroup(group: Waiting[]): Promise<void> {
    try {
      const chunks = group.map(({ bytes }) => bytes)
      const end = chunks.reduce((sum, { length }) => sum + length, this.#position)
      const isGrowing = end > this.#sizeBytes
      await this.#file.write(this.#position, ...(isGrowing ? [...chunks, this.#zeros] : chunks))
      if (isGrowing) this.#sizeBytes = end + this.#zeros.length
      await this.#file.sync()
      for (const { bytes, done } of group) {
        done(this.#position)
        this.#position += bytes.length
      }
    } catch (error) {
      for (const { failed } of group) failed(error)
    }
  }
}
