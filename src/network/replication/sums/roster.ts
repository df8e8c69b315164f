// The roster: all entries that a peer holds, in order. Whoever keeps the entries has it already, as an ordered table or a
// view of one; the sums need it where they are finer than their nodes.

import type { Range } from '../../../platform/storage/key-value.ts'

export interface RosterEntry {
  /** Begins with the ring key of the entry's site, which makes ranges of the ring ranges of keys. What follows is the
   * keeper's choice, as long as no two entries have the same key and an entry has the same key on every peer: so nothing
   * of it may come from the order in which entries arrived here. */
  readonly key: Uint8Array
  /** The first 16 bytes of the SHA-256 over what identifies the entry, its version included where it has versions. */
  readonly id: Uint8Array
}

export interface Roster {
  /** In the order of keys; as Table.range, also inside a transaction. */
  entries(range: Range): Iterable<RosterEntry>
}

/** The longest key of an entry, in bytes: the index adds a byte or two of its own. */
export const rosterKeyBytesMax = 1_890
