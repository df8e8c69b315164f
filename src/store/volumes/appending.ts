// What a caller hands to the volumes: whole records, and what is to happen in the index when they are safe.

import type { WrittenLocation } from '../index/location.ts'

/** Whole records as they are to be stored: in memory, or too large for it; then they flow by, and are asked for only
 * once. */
export type RecordBytes = Uint8Array | AsyncIterable<Uint8Array>

export interface Appending {
  readonly bytes: RecordBytes
  /** They lie in another volume already, which is to go: there is room for them when there is none for new ones. */
  readonly isMove?: boolean | undefined
  /** Runs inside the index change, when the bytes are safe. May run again when that change had to be taken back. */
  commit(location: WrittenLocation): void
}

/** Thrown by `commit` before it changes anything: this appending alone fails, and the reason is what its caller gets. */
export class CommitRefusal {
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

/** As far as it is known before it flows. */
export function lengthOf({ bytes }: Appending): number {
  return bytes instanceof Uint8Array ? bytes.length : 0
}
