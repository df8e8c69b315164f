// What two peers differ in, piece by piece. Whatever is asked for or sent by it is found in the range: entries have no index by
// id, a range of a few dozen is gone through instead.

import type { KeyRange } from '../sums/key-range.ts'
import type { Roster, RosterEntry } from '../sums/roster.ts'

export type Difference =
  /** Of ours there is nothing in the range: all of theirs are missing here. No ids are exchanged for it. */
  | {
      readonly kind: 'all-theirs'
      readonly range: KeyRange
      readonly count: number
      /** Whether we hold the same there by now. */
      isHere(): boolean
    }
  /** These of theirs in the range are missing here. */
  | { readonly kind: 'theirs'; readonly range: KeyRange; readonly ids: readonly Uint8Array[] }
  /** Of theirs there is nothing in the range: all of ours are missing there. */
  | { readonly kind: 'all-ours'; readonly range: KeyRange; readonly count: number }
  /** These of ours are missing there. */
  | { readonly kind: 'ours'; readonly entries: readonly RosterEntry[] }

/** The entries with these ids, among those of the range, which the other found us to hold. */
export function* entriesById(
  roster: Roster,
  { from, to }: KeyRange,
  ids: readonly Uint8Array[],
): Iterable<RosterEntry> {
  const wanted = new Set(ids.map(textOfId))
  for (const entry of roster.entries({ ...(from.length > 0 && { from }), ...(to && { to }) })) {
    if (wanted.size === 0) return
    if (wanted.delete(textOfId(entry.id))) yield entry
  }
}

export function textOfId(id: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(id, 0, id.length)
}
