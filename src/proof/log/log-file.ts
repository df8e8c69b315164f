// A file of entries of one length, written at its end and read anywhere.

import { type Disk, DiskError, type DiskFile } from '../../platform/storage/disk.ts'

export class LogFile {
  readonly #file: DiskFile
  readonly #entryBytes: number

  private constructor(file: DiskFile, entryBytes: number) {
    this.#file = file
    this.#entryBytes = entryBytes
  }

  /** Made when there is none; its name is safe when the folder has been synced. */
  static async open(disk: Disk, path: string, entryBytes: number): Promise<LogFile> {
    try {
      return new LogFile(await disk.open(path, 'write'), entryBytes)
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'disk-not-found') throw error
      return new LogFile(await disk.open(path, 'create'), entryBytes)
    }
  }

  /** Whole entries. */
  async count(): Promise<number> {
    return Math.floor((await this.#file.sizeBytes()) / this.#entryBytes)
  }

  async read(first: number, count: number): Promise<Uint8Array[]> {
    const bytes = await this.#file.read(first * this.#entryBytes, count * this.#entryBytes)
    const whole = Math.floor(bytes.length / this.#entryBytes)
    return Array.from({ length: whole }, (_, place) =>
      bytes.subarray(place * this.#entryBytes, (place + 1) * this.#entryBytes),
    )
  }

  async write(first: number, entries: readonly Uint8Array[]): Promise<void> {
    if (entries.length > 0) await this.#file.write(first * this.#entryBytes, Buffer.concat(entries))
  }

  /** Drops what lies behind. */
  async cut(count: number): Promise<void> {
    const bytes = count * this.#entryBytes
    if ((await this.#file.sizeBytes()) > bytes) await this.#file.truncate(bytes)
  }

  sync(): Promise<void> {
    return this.#file.sync()
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
