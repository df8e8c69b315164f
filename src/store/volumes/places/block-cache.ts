// Blocks of volumes that lie elsewhere, on the local disk: one file of slots, as large as it may get and no larger.
//
// What is in which slot is only known in memory: it starts empty, and a crash leaves nothing that could be wrong. The least
// recently used block goes first. Each has a checksum: rot of the local disk is not to pass for rot of the archive. A disk that
// is full or fails costs the cache, nothing else.

import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Log } from '../../../platform/log.ts'
import { type Disk, DiskError, type DiskFile } from '../../../platform/storage/disk.ts'

export interface BlockCacheOptions {
  readonly bytesMax: number
  /** Room to leave free on the disk. */
  /** A function where it may change. */
  readonly reserveBytes: number | (() => number)
}

interface Slot {
  readonly number: number
  readonly length: number
  readonly checksum: number
}

export const blockBytes = 256 * 1024

export class BlockCache {
  readonly #disk: Disk
  readonly #log: Log
  readonly #path: string
  readonly #options: BlockCacheOptions
  readonly #slotsMax: number
  /** The least recently used first. */
  readonly #slots = new Map<string, Slot>()
  readonly #free: number[] = []
  #slotCount = 0
  #opening: Promise<DiskFile | undefined> | undefined

  constructor(needs: { disk: Disk; log: Log }, path: string, options: BlockCacheOptions) {
    this.#disk = needs.disk
    this.#log = needs.log
    this.#path = path
    this.#options = options
    this.#slotsMax = Math.floor(options.bytesMax / blockBytes)
  }

  get usedBytes(): number {
    return this.#slotCount * blockBytes
  }

  has(key: string): boolean {
    return this.#slots.has(key)
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const slot = this.#slots.get(key)
    if (slot === undefined) return undefined
    this.#slots.delete(key)
    this.#slots.set(key, slot)
    const file = await this.#opening
    try {
      const bytes = await file!.read(slot.number * blockBytes, slot.length)
      // Another block may have come to lie there meanwhile.
      if (bytes.length === slot.length && crc32(bytes) === slot.checksum) return bytes
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
    }
    if (this.#slots.get(key) === slot) this.#forget(key, slot)
    return undefined
  }

  /** Best effort. */
  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#slotsMax === 0 || this.#slots.has(key)) return
    this.#opening ??= this.#open()
    const file = await this.#opening
    if (file === undefined) return
    const number = await this.#takeSlot()
    if (number === undefined) return
    try {
      await file.write(number * blockBytes, bytes)
    } catch (error) {
      this.#free.push(number)
      if (!(error instanceof DiskError)) throw error
      return
    }
    const known = this.#slots.get(key)
    if (known !== undefined) this.#free.push(number)
    else this.#slots.set(key, { number, length: bytes.length, checksum: crc32(bytes) })
  }

  async close(): Promise<void> {
    const file = await this.#opening
    await file?.close()
    if (file !== undefined) await this.#disk.remove(this.#path).catch(() => {})
  }

  async #takeSlot(): Promise<number | undefined> {
    const free = this.#free.pop()
    if (free !== undefined) return free
    if (this.#slotCount < this.#slotsMax && (await this.#hasRoom())) return this.#slotCount++
    for (const [key, { number }] of this.#slots) {
      this.#slots.delete(key)
      return number
    }
    return undefined
  }

  async #hasRoom(): Promise<boolean> {
    try {
      const { reserveBytes } = this.#options
      const reserved = typeof reserveBytes === 'number' ? reserveBytes : reserveBytes()
      return (await this.#disk.freeBytes(dirname(this.#path))) - blockBytes > reserved
    } catch {
      return false
    }
  }

  #forget(key: string, { number }: Slot): void {
    this.#slots.delete(key)
    this.#free.push(number)
  }

  async #open(): Promise<DiskFile | undefined> {
    try {
      if ((await this.#disk.stat(this.#path)) !== undefined) await this.#disk.remove(this.#path)
      return await this.#disk.open(this.#path, 'create')
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#log.warn(
        { path: this.#path, error },
        'There is no cache for volumes in buckets: it cannot be made',
      )
      return undefined
    }
  }
}
