// What can go wrong with the store. Disk and index failures come as DiskError and KeyValueError.

import { errorFamily } from '../errors.ts'

export class StoreError extends errorFamily({
  /** The content key or capture is not in the store. */
  'store-not-found': 'never',
  /** A revisit whose payload was never here: it may still be imported. */
  'store-content-missing': 'later',
  /** Bytes on disk are not what was stored: a repair may bring them back. */
  'store-content-damaged': 'later',
  /** The URL was taken down: what was here is hidden, and nothing more is taken. */
  'store-taken-down': 'never',
  /** What was taken down was destroyed: it cannot be brought back. */
  'store-takedown-final': 'never',
  /** No volume folder takes writes now: full, read-only or gone. */
  'store-no-room': 'later',
  /** The folder of a volume cannot be reached: a disk that is not mounted, perhaps. */
  'store-volume-missing': 'later',
  /** The bucket of a volume cannot be asked now: it is away, busy, or takes our credentials no more. */
  'store-bucket-unavailable': 'later',
  /** The bucket belongs to another store, or holds other things. */
  'store-bucket-taken': 'never',
  /** The copy of a volume was not what was sent when it was read again. */
  'store-copy-differs': 'later',
  'store-unknown-folder': 'never',
  'store-bad-content-key': 'never',
  'store-bad-cursor': 'never',
  'store-bad-target': 'never',
  'store-bad-capture': 'never',
  /** A file to import that is no archive we know. */
  'store-unknown-archive': 'never',
  /** There are volumes, but no index of them: rebuild it. */
  'store-index-missing': 'never',
  /** An entry of the index cannot be what was written: its disk is failing. */
  'store-index-damaged': 'never',
  /** Another program's store, or one of a later version. */
  'store-unknown-format': 'never',
  /** Another process works on this home. */
  'store-in-use': 'later',
  'store-closed': 'never',
}) {}

export type StoreErrorCode = StoreError['code']
