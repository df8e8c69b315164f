// The journal of a map: changes that the map below does not have yet, in a file that only grows.
//
// A file stands for itself: its first record holds all that was in no map below when it was begun, each further one what
// changed since. So only the newest file counts whose first record is whole; older ones are what a crash left behind.
// Every record has its length and a checksum that goes on from the record before it: a torn end, or bytes of a write that
// failed, are never taken for a record. Behind the last one there are zeros: a file that need not grow is synced without
// what the file system notes of its size (measured: 205 microseconds instead of 290).
//
// Invariants: a record counts when `append` has returned, and survives a power cut when `sync` has; a file is removed only
// when a newer one is safe, or when nothing in it is needed and all older ones are gone for good, for one of those would
// count then. After a failure `isSound` tells whether it is known what
// lies on disk: if so, all is as before; if not, the file must not be written to again, and a new one is to be begun.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Disk, DiskError, type DiskFile } from '../disk.ts'

const namePattern = /^journal-(\d+)$/
const mark = Buffer.from('polyhistor index journal 1\n')
const markChecksum = crc32(mark)
const headBytes = 8
const zeros = Buffer.alloc(16 * 1024)

export class Journal {
  readonly #disk: Disk
  readonly #folder: string
  /** The highest that was ever given to a file. */
  #last: number
  /** Of files that may still be there, beside the one that is open. */
  #older: number[]
  #file: DiskFile | undefined
  #number = 0
  #position = 0
  /** Where the zeros end. */
  #sizeBytes = 0
  #checksum = 0
  #isSynced = true
  #isSound = true

  private constructor(disk: Disk, folder: string, numbers: number[]) {
    this.#disk = disk
    this.#folder = folder
    this.#older = numbers
    this.#last = Math.max(0, ...numbers)
  }

  /** Nothing is written before `begin`. */
  static async open(disk: Disk, folder: string): Promise<Journal> {
    const names = (await disk.stat(folder)) === undefined ? [] : await disk.list(folder)
    const numbers = names.flatMap((name) => namePattern.exec(name)?.[1] ?? []).map(Number)
    return new Journal(
      disk,
      folder,
      numbers.sort((left, right) => left - right),
    )
  }

  /** Whether a file is open that takes records. */
  get isBegun(): boolean {
    return this.#file !== undefined && this.#isSound
  }

  /** Whether it is known what a crash would leave. */
  get isSound(): boolean {
    return this.#isSound
  }

  /** The records that an earlier process left, the oldest first. Safe from a power cut from now on, if they were not. */
  async left(): Promise<Uint8Array[]> {
    for (const number of this.#older.toReversed()) {
      const records = await this.#read(number)
      if (records.length > 0) return records
    }
    return []
  }

  /** Begins a new file, which makes all others superfluous: with all that no map below has. Safe when it returns. */
  async begin(content: Uint8Array): Promise<void> {
    const number = ++this.#last
    const before = this.#file
    let file: DiskFile | undefined
    try {
      file = await this.#disk.open(this.#path(number), 'create')
      const { head, checksum } = headOf(content, markChecksum)
      await file.write(0, mark, head, content)
      await file.sync()
      await this.#disk.syncFolder(this.#folder)
      this.#file = file
      this.#position = mark.length + head.length + content.length
      this.#sizeBytes = this.#position
      this.#checksum = checksum
    } catch (error) {
      await file?.close().catch(() => {})
      if (!(await this.#isUndone(number))) {
        this.#older.push(number)
        this.#isSound = false
      }
      throw error
    }
    if (before !== undefined) this.#older.push(this.#number)
    this.#number = number
    this.#isSound = true
    this.#isSynced = true
    await before?.close().catch(() => {})
    await this.#removeOlder()
  }

  async append(record: Uint8Array): Promise<void> {
    assert(this.isBegun, 'the journal is not begun')
    const { head, checksum } = headOf(record, this.#checksum)
    const end = this.#position + head.length + record.length
    if (end <= this.#sizeBytes || !(await this.#isWritten(head, record, zeros))) {
      await this.#write(head, record)
    }
    this.#position = end
    this.#checksum = checksum
    this.#isSynced = false
  }

  async sync(): Promise<void> {
    if (this.#isSynced) return
    try {
      await this.#file!.sync()
      this.#isSynced = true
    } catch (error) {
      // The kernel may have dropped what it could not write, and says so only once.
      this.#isSound = false
      throw error
    }
  }

  /** Nothing in it is needed any more. What cannot be removed is left as it is: it says nothing that is not true. */
  async end(): Promise<void> {
    if (this.#file !== undefined) this.#older.push(this.#number)
    await this.close()
    const newest = this.#older.pop()
    if (newest === undefined) return
    try {
      if (this.#older.length > 0) await this.#removeOlder()
      if (this.#older.length > 0) return
      await this.#disk.syncFolder(this.#folder)
      await this.#disk.remove(this.#path(newest))
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
    }
  }

  /** What is in it stays, for whoever opens it next. */
  async close(): Promise<void> {
    await this.#file?.close().catch(() => {})
    this.#file = undefined
  }

  async #write(...chunks: Uint8Array[]): Promise<void> {
    try {
      await this.#file!.write(this.#position, ...chunks)
    } catch (error) {
      await this.#cut()
      throw error
    }
    const end = chunks.reduce((sum, { length }) => sum + length, this.#position)
    this.#sizeBytes = Math.max(this.#sizeBytes, end)
  }

  /** False when the disk is full: there may still be room for less. */
  async #isWritten(...chunks: Uint8Array[]): Promise<boolean> {
    try {
      await this.#write(...chunks)
      return true
    } catch (error) {
      if (this.#isSound && error instanceof DiskError && error.code === 'disk-full') return false
      throw error
    }
  }

  /** Takes back a write that failed. Synced, for bytes that come back after a power cut would count. */
  async #cut(): Promise<void> {
    try {
      await this.#file!.truncate(this.#position)
      this.#sizeBytes = this.#position
      await this.#file!.sync()
      this.#isSynced = true
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#isSound = false
    }
  }

  async #isUndone(number: number): Promise<boolean> {
    try {
      const path = this.#path(number)
      if ((await this.#disk.stat(path)) !== undefined) await this.#disk.remove(path)
      await this.#disk.syncFolder(this.#folder)
      return true
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      return false
    }
  }

  /** One that cannot be removed does no harm, and is tried again. */
  async #removeOlder(): Promise<void> {
    const older = this.#older
    this.#older = []
    for (const number of older) {
      try {
        await this.#disk.remove(this.#path(number))
      } catch (error) {
        if (!(error instanceof DiskError)) throw error
        if (error.code !== 'disk-not-found') this.#older.push(number)
      }
    }
  }

  async #read(number: number): Promise<Uint8Array[]> {
    const file = await this.#disk.open(this.#path(number), 'write')
    try {
      const records = recordsIn(Buffer.from(await file.read(0, await file.sizeBytes())))
      if (records.length > 0) {
        await file.sync()
        await this.#disk.syncFolder(this.#folder)
      }
      return records
    } finally {
      await file.close()
    }
  }

  #path(number: number): string {
    return join(this.#folder, `journal-${number}`)
  }
}

function headOf(record: Uint8Array, before: number): { head: Buffer; checksum: number } {
  const checksum = crc32(record, before)
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32BE(record.length)
  head.writeUInt32BE(checksum, 4)
  return { head, checksum }
}

/** Up to the first that is not whole. */
function recordsIn(bytes: Buffer): Uint8Array[] {
  const records: Uint8Array[] = []
  if (!bytes.subarray(0, mark.length).equals(mark)) return records
  let before = markChecksum
  for (let at = mark.length; at + headBytes <= bytes.length; ) {
    const start = at + headBytes
    const end = start + bytes.readUInt32BE(at)
    const record = bytes.subarray(start, end)
    if (end > bytes.length || crc32(record, before) !== bytes.readUInt32BE(at + 4)) break
    before = bytes.readUInt32BE(at + 4)
    records.push(record)
    at = end
  }
  return records
}
