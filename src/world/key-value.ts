// An ordered, transactional map of bytes to bytes, for indexes.
//
// Invariants: keys are ordered bytewise; a transaction happens whole or not at all, one after the other; a reader sees
// the state after some transaction, never the middle of one; after a crash the state is that after some transaction
// not older than the last finished flush().

import { PolyhistorError, type Retry } from '../errors.ts'

export type KeyValueErrorCode = 'index-full' | 'index-damaged' | 'index-failure'

export class KeyValueError extends PolyhistorError {
  declare readonly code: KeyValueErrorCode

  constructor(code: KeyValueErrorCode, message: string, cause?: unknown) {
    const retry: Retry = code === 'index-damaged' ? 'never' : 'later'
    super(code, message, { retry, cause })
  }
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
  get(key: Uint8Array): Uint8Array | undefined
  /** Entries as they are when iteration begins. Bounded memory whatever the size of the range. */
  range(range?: Range): Iterable<Entry>
  /** Only inside a transaction. Keys are 1 to 1,900 bytes. */
  put(key: Uint8Array, value: Uint8Array): void
  /** Only inside a transaction. True when the key was there. */
  remove(key: Uint8Array): boolean
}

export interface KeyValue {
  /** The same name gives the same table, made when first asked for. */
  table(name: string): Table
  /** Runs `action` (synchronous; it reads its own writes) and commits what it put and removed; if it throws, nothing
   * of it happens. Resolves when committed: visible to all readers, not yet safe from a power cut. */
  transaction<T>(action: () => T): Promise<T>
  /** Resolves when everything committed before the call survives a power cut. Many callers share one flush. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface KeyValues {
  /** Opens the map kept in this folder, made when first opened. */
  open(folder: string, options?: { sizeBytesMax?: number }): Promise<KeyValue>
}
