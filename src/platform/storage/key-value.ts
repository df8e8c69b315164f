// An ordered, transactional map of bytes to bytes, for indexes.
//
// Invariants: keys are ordered bytewise; a transaction happens whole or not at all, one after the other; a reader sees
// the state after some transaction, never the middle of one; after a crash the state is that after some transaction
// not older than the last finished flush().

import assert from 'node:assert/strict'
import { errorFamily } from '../../errors.ts'

export class KeyValueError extends errorFamily({
  'index-full': 'later',
  'index-damaged': 'never',
  'index-failure': 'later',
}) {}

export type KeyValueErrorCode = InstanceType<typeof KeyValueError>['code']

/** The longest key, in bytes; the shortest has one. */
export const keyBytesMax = 1_900

export function checkKey(key: Uint8Array): void {
  if (key.length === 0 || key.length > keyBytesMax) assert.fail(`a key of ${key.length} bytes`)
}

/** The least key after this one. */
export function keyAfter(key: Uint8Array): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)])
}

/** From `from` (included) to `to` (excluded) in order; with `reverse`, the same entries from last to first. */
export interface Range {
  from?: Uint8Array
  to?: Uint8Array
  reverse?: boolean
  limit?: number
}

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

export interface Table {
  /** What it returns is the caller's to keep and change. */
  get(key: Uint8Array): Uint8Array | undefined
  /** Entries as they are when iteration begins (at the first entry asked for). Bounded memory whatever the size of the
   * range. Begun inside a transaction it must end there, and what the transaction changes ahead of it may be seen or
   * not; the entry just returned may be removed. An iteration given up half-way must be told so, as `for` does. */
  range(range?: Range): Iterable<Entry>
  /** Only inside a transaction. Keys are 1 to keyBytesMax bytes; key and value are copied. */
  put(key: Uint8Array, value: Uint8Array): void
  /** Only inside a transaction. True when the key was there. */
  remove(key: Uint8Array): boolean
}

/** Bytes of a file that a change speaks of: written, and not yet synced. */
export interface Ground {
  readonly path: string
  readonly offset: number
  readonly length: number
  /** CRC-32 of them. */
  readonly checksum: number
  /** Makes them safe from a power cut; a DiskError when that fails. */
  sync(): Promise<void>
}

export interface KeyValue {
  /** The same name gives the same table, made when first asked for, which must not be inside a transaction. */
  table(name: string): Table
  /** Runs `action` (synchronous; it reads its own writes) soon, in the order of calls, and commits what it put and
   * removed; if it throws, nothing of it happens and the error is passed on. Resolves when committed: visible to all
   * readers, not yet safe from a power cut. Rejects with 'index-full', nothing done, when there is no room for it.
   * With a `ground`, which it syncs, it resolves when both are safe; nobody sees the change before, nor after a crash
   * unless those bytes are there. When that sync fails, the change is taken back, and the error passed on. The action may
   * run again. */
  transaction<T>(action: () => T, ground?: Ground): Promise<T>
  /** Resolves when everything committed before the call survives a power cut. Many callers share one flush. */
  flush(): Promise<void>
  /** Bytes of data in the tables that were asked for, about. Only inside a transaction. */
  sizeBytes(): number
  /** Waits for transactions under way and flushes. Closing again does nothing. */
  close(): Promise<void>
}

export interface OpenOptions {
  /** Past so much data a transaction may only make the map smaller; files may be larger by what is free in them. */
  sizeBytesMax?: number
  /** For a map that is flushed after every few changes: a flush is one short write then, and its folder holds a journal
   * beside the map until that is closed. */
  hasJournal?: boolean
  /** It will be asked for these: in a new map they are made together, in one commit instead of one for each. */
  tables?: readonly string[]
}

export interface KeyValues {
  /** Opens the map kept in this folder, made when first opened; one at a time. */
  open(folder: string, options?: OpenOptions): Promise<KeyValue>
}
