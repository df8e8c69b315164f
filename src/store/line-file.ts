// A file of lines: appended one after the other, each synced, readable by people.
//
// Invariants: a line that a crash tore spoils no other; what is read is bounded by the longest line that is allowed, not by
// the file. What the lines mean is left to others.

import { dirname } from 'node:path'
import { SerialQueue } from '../platform/serial-queue.ts'
import { type Disk, DiskError } from '../platform/storage/disk.ts'
import { writeWhole } from '../platform/storage/whole-file.ts'

const newline = 0x0a
const chunkBytes = 256 * 1024
/** Of a longer line only so much is read. */
export const lineBytesMax = 512 * 1024

export class LineFile {
  readonly #disk: Disk
  readonly path: string
  readonly #queue = new SerialQueue()

  constructor(needs: { disk: Disk }, path: string) {
    this.#disk = needs.disk
    this.path = path
  }

  /** Resolves when they survive a power cut. One call after the other: two that found the same end would write over each
   * other. */
  append(...lines: readonly string[]): Promise<void> {
    return this.#queue.run(() => this.#append(lines))
  }

  /** All lines anew, at once: a crash leaves the old ones or the new ones. */
  replace(lines: readonly string[]): Promise<void> {
    return this.#queue.run(() => writeWhole(this.#disk, this.path, textOf(lines)))
  }

  /** Empty lines are left out. */
  async *lines(): AsyncGenerator<string> {
    if ((await this.#disk.stat(this.path)) === undefined) return
    const file = await this.#disk.open(this.path, 'read')
    try {
      let rest = Buffer.alloc(0)
      for (let at = 0; ; at += chunkBytes) {
        const chunk = Buffer.from(await file.read(at, chunkBytes))
        let start = 0
        for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
          const line = joined(rest, chunk.subarray(start, end))
          if (line.length > 0) yield line.toString()
          rest = Buffer.alloc(0)
          start = end + 1
        }
        rest = joined(rest, chunk.subarray(start))
        if (chunk.length < chunkBytes) break
      }
      if (rest.length > 0) yield rest.toString()
    } finally {
      await file.close()
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const file = await this.#open()
    try {
      // A line that a crash tore is ended first.
      const size = await file.sizeBytes()
      const last = size === 0 ? undefined : (await file.read(size - 1, 1))[0]
      const start = last === undefined || last === newline ? '' : '\n'
      await file.write(size, Buffer.from(`${start}${textOf(lines)}`))
      await file.sync()
    } finally {
      await file.close()
    }
    await this.#disk.syncFolder(dirname(this.path))
  }

  async #open() {
    try {
      return await this.#disk.open(this.path, 'write')
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'disk-not-found') throw error
      return this.#disk.open(this.path, 'create')
    }
  }
}

function joined(rest: Buffer, more: Buffer): Buffer<ArrayBuffer> {
  return Buffer.concat([rest, more.subarray(0, Math.max(0, lineBytesMax - rest.length))])
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
