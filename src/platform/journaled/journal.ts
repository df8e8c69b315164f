// The journal of a map: changes that the map below does not have yet, in a file that only grows.
//
// A file stands for itself: its first record holds all that was in no map below when it was begun, each further one what
// changed since. So only the newest file counts whose first record is whole; older ones are what a crash left behind.
// Behind the last record there are zeros: a file that need not grow is synced without what the file system notes of its
// size (measured: 205 microseconds instead of 290). See journal-record.ts for what a record looks like.
//
// Invariants: a record counts when `append` has returned, and survives a power cut when `sync` has; a file is removed only
// when a newer one is safe, or when nothing in it is needed and all older ones are gone for good, for one of those would
// count then. After a failure `isSound` tells whether it is known what
// lies on disk: if so, all is as before; if not, the file must not be written to again, and a new one is to be begun.
//
// A record may stand on grounds: bytes of other files that are synced while it is. Whoever appends the next one knows that
// the last is safe, and its grounds with it; so only those of the last record are in doubt after a crash, and without them
// it does not count.

import assert from 'node:assert/strict'
import { join, relative, resolve } from 'node:path'
import { type Disk, DiskError, type DiskFile } from '../storage/disk.ts'
import { type Ground, KeyValueError } from '../storage/key-value.ts'
import { holds } from './ground-check.ts'
import {
  encodeRecord,
  type JournalEnd,
  type JournalRecord,
  mark,
  markChecksum,
  recordsIn,
} from './journal-record.ts'

const namePattern = /^journal-(\d+)$/
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
  #end: JournalEnd = { position: 0, checksum: 0, syncedBytes: 0 }
  /** Where the zeros end. */
  #sizeBytes = 0
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

  /** The records that an earlier process left, the oldest first. Safe from a power cut from now on, if they were not.
   * Rejects with 'index-damaged' when some that were safe have rotted. */
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
      const start = { position: mark.length, checksum: markChecksum, syncedBytes: 0 }
      const { parts, checksum } = encodeRecord(content, [], start)
      await file.write(0, mark, ...parts)
      await file.sync()
      await this.#disk.syncFolder(this.#folder)
      this.#file = file
      const position = mark.length + lengthOf(parts)
      this.#end = { position, checksum, syncedBytes: position }
      this.#sizeBytes = position
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
    await before?.close().catch(() => {})
    await this.#removeOlder()
  }

  /** When it stands on grounds, both are to be synced before the next one. */
  async append(content: Uint8Array, grounds: readonly Ground[] = []): Promise<void> {
    assert(this.isBegun, 'the journal is not begun')
    // As seen from here, so that all can be moved together.
    const noted = grounds.map((ground) => ({ ...ground, path: relative(this.#folder, ground.path) }))
    const { parts, checksum } = encodeRecord(content, noted, this.#end)
    const position = this.#end.position + lengthOf(parts)
    if (position <= this.#sizeBytes || !(await this.#tryWrite(...parts, zeros))) await this.#write(...parts)
    this.#end = { ...this.#end, position, checksum }
  }

  async sync(): Promise<void> {
    const { position, syncedBytes } = this.#end
    if (syncedBytes === position) return
    try {
      await this.#file!.sync()
      this.#end.syncedBytes = position
    } catch (error) {
      // The kernel may have dropped what it could not write, and says so only once.
      this.#isSound = false
      throw error
    }
  }

  /** Its last record must not be found: a new file is to be begun without it. */
  distrust(): void {
    this.#isSound = false
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
      await this.#file!.write(this.#end.position, ...chunks)
    } catch (error) {
      await this.#cut()
      throw error
    }
    this.#sizeBytes = Math.max(this.#sizeBytes, this.#end.position + lengthOf(chunks))
  }

  /** False when the disk is full: there may still be room for less. */
  async #tryWrite(...chunks: Uint8Array[]): Promise<boolean> {
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
      const { position } = this.#end
      await this.#file!.truncate(position)
      this.#sizeBytes = position
      await this.#file!.sync()
      this.#end.syncedBytes = position
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
      const bytes = await file.read(0, await file.sizeBytes())
      const { records, isRotten } = recordsIn(Buffer.from(bytes))
      if (isRotten) throw rotten(file.path)
      const last = records.at(-1)
      if (last === undefined) return []
      if (!(await this.#isGrounded(last))) records.pop()
      // Written again, for they may be in memory only, and forgotten by a sync that failed: see ground-check.ts.
      await file.write(0, bytes)
      await file.sync()
      await this.#disk.syncFolder(this.#folder)
      return records.map(({ content }) => content)
    } finally {
      await file.close()
    }
  }

  async #isGrounded({ grounds }: JournalRecord): Promise<boolean> {
    for (const ground of grounds) {
      if (!(await holds(this.#disk, { ...ground, path: resolve(this.#folder, ground.path) }))) return false
    }
    return true
  }

  #path(number: number): string {
    return join(this.#folder, `journal-${number}`)
  }
}

function rotten(path: string): KeyValueError {
  return new KeyValueError(
    'index-damaged',
    `The journal ${path} is damaged: what was safe in it cannot be read any more. Build the index of a store again with: polyhistor store rebuild. What else a peer keeps it gets from others: move the folder away.`,
  )
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  let sum = 0
  for (const { length } of chunks) sum += length
  return sum
}
