// Files, as the rest of the program may see them: positions, explicit syncs, no hidden state.
//
// What survives a crash: bytes of a file up to its last `sync()`; names of files and folders up to the last
// `syncFolder()` of the folder that holds them. Anything later may be there, gone, or (bytes) torn.
// Paths are absolute. Failures are DiskError with the code of what went wrong.

import { PolyhistorError, type Retry } from '../../errors.ts'

export type DiskErrorCode =
  | 'disk-not-found'
  | 'disk-already-exists'
  | 'disk-full'
  | 'disk-read-only'
  | 'disk-not-permitted'
  | 'disk-failure'

export class DiskError extends PolyhistorError {
  declare readonly code: DiskErrorCode
  readonly path: string

  constructor(code: DiskErrorCode, path: string, message: string, cause?: unknown) {
    const retry: Retry = code === 'disk-full' || code === 'disk-failure' ? 'later' : 'never'
    super(code, message, { retry, cause })
    this.path = path
  }
}

export interface FileInfo {
  kind: 'file' | 'folder'
  sizeBytes: number
}

/** `read`: must exist. `write`: read and write, must exist. `create`: read and write, must not exist yet. */
export type OpenMode = 'read' | 'write' | 'create'

export interface DiskFile {
  readonly path: string
  sizeBytes(): Promise<number>
  /** Bytes from `position`: fewer than `length` only at the end of the file. `memory`: where to put them, if they fit. */
  read(position: number, length: number, memory?: Uint8Array): Promise<Uint8Array>
  /** The same at once, into this memory. undefined when it would have to be waited for, when it comes short, and when it fails:
   * ask `read`, which says why. Not every disk has it. */
  readAtOnce?(position: number, memory: Uint8Array): Uint8Array | undefined
  /** Writes all chunks one after the other from `position`; a gap before it reads as zeros. The chunks must not change
   * until it returns. On failure any part of them may have been written. */
  write(position: number, ...chunks: Uint8Array[]): Promise<void>
  /** Cuts the file, or fills it up with zeros, to this size. */
  truncate(sizeBytes: number): Promise<void>
  /** Returns when every byte written before the call (its write had returned) survives a power cut. After a failed sync nothing is promised of
   * the bytes written since the last good one: write them again. */
  sync(): Promise<void>
  /** Closing again does nothing. Syncs nothing. */
  close(): Promise<void>
}

export interface Disk {
  open(path: string, mode: OpenMode): Promise<DiskFile>
  stat(path: string): Promise<FileInfo | undefined>
  /** The names in a folder, sorted. */
  list(folder: string): Promise<string[]>
  /** Makes the folder and its parents; fine when it is there already. */
  makeFolder(path: string): Promise<void>
  /** Replaces what is at `to`, at once: a reader sees the old or the new, never neither. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file or an empty folder. */
  remove(path: string): Promise<void>
  /** Returns when names made, renamed and removed in this folder before the call survive a power cut. */
  syncFolder(folder: string): Promise<void>
  /** Room left for us on the file system that holds this folder. */
  freeBytes(folder: string): Promise<number>
}
