// Files on the machine's own file systems.
//
// Keeps to what the interface says of failures: every error that the operating system gives becomes a DiskError whose
// message names the path and what to do about it. Does not lock: one process owns its folder.

import assert from 'node:assert/strict'
import { constants, fdatasync, lstatSync, read, readSync, statfsSync, writev, writevSync } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, rmdir, statfs, unlink } from 'node:fs/promises'
import { type Disk, DiskError, type DiskFile, type FileInfo, type OpenMode } from '../../storage/disk.ts'
import { asDiskError } from './failure.ts'
import { makeFolder } from './folder-making.ts'
import { Quickness } from './quickness.ts'
import { writeWhole } from './whole-write.ts'

/** Reading does not wait for somebody who writes to what turns out to be a pipe. */
const flagBits: Record<OpenMode, string | number> = {
  read: constants.O_RDONLY | constants.O_NONBLOCK,
  write: 'r+',
  create: 'wx+',
}

export class RealDisk implements Disk {
  readonly #looks = new Quickness()

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const handle = await attempt(path, 'open', () => open(path, flagBits[mode]))
    const file = new RealFile(path, handle)
    try {
      // A folder opens for reading, and would fail only at the first read.
      const info = await attempt(path, 'open', () => handle.stat())
      if (!info.isFile()) throw new DiskError('disk-failure', path, `Cannot open ${path}: it is not a file.`)
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async stat(path: string): Promise<FileInfo | undefined> {
    try {
      const info = await this.#looks.ask(
        () => lstatSync(path),
        () => lstat(path),
      )
      return { kind: info.isDirectory() ? 'folder' : 'file', sizeBytes: info.isDirectory() ? 0 : info.size }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
      throw asDiskError(path, 'look at', error)
    }
  }

  async list(folder: string): Promise<string[]> {
    const names = await attempt(folder, 'list', () => readdir(folder))
    return names.sort()
  }

  async makeFolder(path: string): Promise<void> {
    await attempt(path, 'make', () => makeFolder(path))
  }

  async rename(from: string, to: string): Promise<void> {
    await attempt(from, `rename to ${to}`, () => rename(from, to))
  }

  async remove(path: string): Promise<void> {
    await attempt(path, 'remove', async () => {
      if ((await lstat(path)).isDirectory()) await rmdir(path)
      else await unlink(path)
    })
  }

  async syncFolder(folder: string): Promise<void> {
    await attempt(folder, 'sync', async () => {
      const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    })
  }

  async freeBytes(folder: string): Promise<number> {
    const look = () =>
      this.#looks.ask(
        () => statfsSync(folder),
        () => statfs(folder),
      )
    const info = await attempt(folder, 'measure', look)
    // bavail, not bfree: what is kept back for the superuser is not for us.
    return info.bavail * info.bsize
  }
}

// Larger ones would hold others up, and the way to a thread matters little to them.
const smallReadBytesMax = 256 * 1024
const smallWriteBytesMax = 256 * 1024

class RealFile implements DiskFile {
  readonly path: string
  readonly #handle: FileHandle
  /** Reads, writes and syncs that a thread is at. */
  #underWay = 0
  #whenIdle: (() => void) | undefined
  #closed: Promise<void> | undefined
  readonly #reads = new Quickness()
  readonly #writes = new Quickness()

  constructor(path: string, handle: FileHandle) {
    this.path = path
    this.#handle = handle
  }

  async sizeBytes(): Promise<number> {
    assert(!this.#closed, 'file is closed')
    return (await attempt(this.path, 'look at', () => this.#handle.stat())).size
  }

  async read(position: number, length: number, memory?: Uint8Array): Promise<Uint8Array> {
    assert(!this.#closed, 'file is closed')
    assert(position >= 0 && length >= 0)
    const isGiven = memory !== undefined && memory.length >= length
    const bytes = isGiven ? memory.subarray(0, length) : new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
    let done =
      length <= smallReadBytesMax
        ? await attempt(this.path, 'read', () => this.#readSmall(bytes, position))
        : 0
    while (done < length) {
      const { bytesRead } = await attempt(this.path, 'read', () =>
        this.#handle.read(bytes, done, length - done, position + done),
      )
      if (bytesRead === 0) break
      done += bytesRead
    }
    if (done === length) return bytes
    // A short answer is copied, so that it does not hold on to the memory asked for.
    return isGiven ? bytes.subarray(0, done) : bytes.slice(0, done)
  }

  readAtOnce(position: number, memory: Uint8Array): Uint8Array | undefined {
    assert(!this.#closed, 'file is closed')
    if (memory.length > smallReadBytesMax || !this.#reads.isQuick) return undefined
    try {
      const done = this.#reads.time(() => readSync(this.#handle.fd, memory, 0, memory.length, position))
      return done === memory.length ? memory : undefined
    } catch {
      return undefined
    }
  }

  #readSmall(bytes: Uint8Array, position: number): number | Promise<number> {
    return this.#reads.ask(
      () => readSync(this.#handle.fd, bytes, 0, bytes.length, position),
      () => this.#byThread<number>((told) => read(this.#handle.fd, bytes, 0, bytes.length, position, told)),
    )
  }

  async write(position: number, ...chunks: Uint8Array[]): Promise<void> {
    assert(!this.#closed, 'file is closed')
    assert(position >= 0)
    const write = (at: number, rest: Uint8Array[]) => this.#writeOnce(at, rest)
    const isWhole = await attempt(this.path, 'write', () => writeWhole(write, position, chunks))
    if (isWhole) return
    throw new DiskError('disk-failure', this.path, `Cannot write ${this.path}: the disk takes no bytes.`)
  }

  #writeOnce(position: number, chunks: Uint8Array[]): number | Promise<number> {
    const byThread = () => this.#byThread<number>((told) => writev(this.#handle.fd, chunks, position, told))
    let bytes = 0
    for (const { length } of chunks) bytes += length
    if (bytes > smallWriteBytesMax) return byThread()
    return this.#writes.ask(() => writevSync(this.#handle.fd, chunks, position), byThread)
  }

  async truncate(sizeBytes: number): Promise<void> {
    assert(!this.#closed, 'file is closed')
    assert(sizeBytes >= 0)
    await attempt(this.path, 'truncate', () => this.#handle.truncate(sizeBytes))
  }

  async sync(): Promise<void> {
    assert(!this.#closed, 'file is closed')
    // fdatasync leaves out the times but not the size: all that a reader needs.
    const syncing = () => this.#byThread<void>((told) => fdatasync(this.#handle.fd, told))
    await attempt(this.path, 'sync', syncing)
  }

  close(): Promise<void> {
    this.#closed ??= attempt(this.path, 'close', async () => {
      if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve))
      await this.#handle.close()
    })
    return this.#closed
  }

  /** Told by a callback: the promises of file handles cost the main thread several times as much. They would keep a file open
   * that is in use; so this counts. */
  #byThread<T>(ask: (told: (error: Error | null, answer?: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#underWay++
      ask((error, answer) => {
        if (--this.#underWay === 0) this.#whenIdle?.()
        if (error) reject(error)
        else resolve(answer as T)
      })
    })
  }
}

async function attempt<T>(path: string, what: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw asDiskError(path, what, error)
  }
}
