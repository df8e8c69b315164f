// Where the pieces of the sums begin: at entries whose ids end in enough zero bits, so that two peers with nearly the same
// entries have nearly the same pieces, whatever came first and whoever was asked, and one's bounds cut few of the other's.
//
// Where they begin decides what a question costs, never what is answered: so a piece that grows far beyond what chance
// would make it is divided where it suits, and a bound may outlive its entry.

import { idBytes } from './tally.ts'

/** How many zero bits begin a piece of level 1, 2, 3: on average one in 64 entries, in 2^12 and in 2^18. Fewer bits on the first
 * level take more room, more take more reading of entries. */
const zeroBits = [6, 12, 18]

export const levels = zeroBits.length

/** How many entries a piece has on average; 1 on level 0, which are the entries themselves. */
export function typicalCount(level: number): number {
  return level === 0 ? 1 : 2 ** zeroBits[level - 1]!
}

/** A piece with more entries is divided: by chance one in 3,000 is. */
export function countMax(level: number): number {
  return 8 * typicalCount(level)
}

/** The highest level on which a piece begins at the entry; 0 for most. */
export function levelOf(id: Uint8Array): number {
  const ending = (id[idBytes - 1]! | (id[idBytes - 2]! << 8) | (id[idBytes - 3]! << 16)) >>> 0
  const zeros = ending === 0 ? 24 : 31 - Math.clz32(ending & -ending)
  return zeroBits.filter((bits) => zeros >= bits).length
}
