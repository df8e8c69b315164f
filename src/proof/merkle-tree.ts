// Merkle trees as Certificate Transparency has them (RFC 6962 2.1, RFC 9162 2.1): hashes, and the proofs that an entry is in a tree
// and that one tree goes on from another.
//
// A tree over n entries splits at the largest power of two below n, so every node is the hash of a range of entries, and a proof is a
// list of such ranges. Who holds the hashes decides how to get those of a range (log/tree-files.ts); here nothing is read.

import { hash } from 'node:crypto'

/** 32 bytes. */
export type Hash = Uint8Array
/** Entries from the first up to the second, without it. */
export type EntryRange = readonly [from: number, to: number]

export const hashBytes = 32

const leafPrefix = Uint8Array.of(0)
const pair = Buffer.alloc(1 + 2 * hashBytes, 1)

export function leafHash(entry: Uint8Array): Hash {
  return hash('sha256', Buffer.concat([leafPrefix, entry]), 'buffer')
}

/** Of an entry that is text, in UTF-8. */
export function leafOfText(entry: string): Hash {
  return hash('sha256', `\0${entry}`, 'buffer')
}

export function nodeHash(left: Hash, right: Hash): Hash {
  pair.set(left, 1)
  pair.set(right, 1 + hashBytes)
  return hash('sha256', pair, 'buffer')
}

/** Of a tree without entries. */
export const emptyRoot: Hash = hash('sha256', new Uint8Array(), 'buffer')

/** Of leaves in memory. */
export function rootOf(leaves: readonly Hash[]): Hash {
  return leaves.length === 0 ? emptyRoot : rangeHash(leaves, [0, leaves.length])
}

/** Of a range of leaves in memory. */
export function rangeHash(leaves: readonly Hash[], [from, to]: EntryRange): Hash {
  if (to - from === 1) return leaves[from]!
  const middle = from + splitOf(to - from)
  return nodeHash(rangeHash(leaves, [from, middle]), rangeHash(leaves, [middle, to]))
}

/** The largest power of two below the size. */
export function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** What proves that an entry is in a tree of that size: the hashes of these ranges, from the entry up. */
export function inclusionRanges(index: number, size: number): EntryRange[] {
  const ranges: EntryRange[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + splitOf(to - from)
    if (index < middle) {
      ranges.push([middle, to])
      to = middle
    } else {
      ranges.push([from, middle])
      from = middle
    }
  }
  return ranges.reverse()
}

/** What proves that a tree of the second size goes on from one of the first, which is not empty. */
export function consistencyRanges(first: number, second: number): EntryRange[] {
  const ranges: EntryRange[] = []
  let [from, to] = [0, second]
  // The part of the first tree that is a node of the second one needs no proof if it is all of the first.
  while (first < to) {
    const middle = from + splitOf(to - from)
    if (first <= middle) {
      ranges.push([middle, to])
      to = middle
    } else {
      ranges.push([from, middle])
      from = middle
    }
  }
  if (from > 0) ranges.push([from, to])
  return ranges.reverse()
}

/** The root that a path leads to from the entry; undefined when it is no path of such a tree (RFC 9162 2.1.3.2). */
export function rootOfPath(leaf: Hash, index: number, size: number, path: readonly Hash[]): Hash | undefined {
  if (!(index >= 0 && index < size)) return undefined
  let [own, last] = [index, size - 1]
  let root = leaf
  for (const sibling of path) {
    if (last === 0) return undefined
    if (own % 2 === 1 || own === last) {
      root = nodeHash(sibling, root)
      while (own % 2 === 0 && own > 0) [own, last] = [own / 2, Math.floor(last / 2)]
    } else root = nodeHash(root, sibling)
    ;[own, last] = [Math.floor(own / 2), Math.floor(last / 2)]
  }
  return last === 0 ? root : undefined
}

export interface TreeHead {
  readonly size: number
  readonly root: Hash
}

/** Whether the second tree has all entries of the first, in their places (RFC 9162 2.1.4.2). */
export function isConsistent(first: TreeHead, second: TreeHead, proof: readonly Hash[]): boolean {
  if (first.size > second.size) return false
  if (first.size === second.size) return proof.length === 0 && areEqual(first.root, second.root)
  if (first.size === 0) return proof.length === 0 && areEqual(first.root, emptyRoot)
  const path = isPowerOfTwo(first.size) ? [first.root, ...proof] : [...proof]
  const start = path.shift()
  if (start === undefined) return false
  let [own, last] = [first.size - 1, second.size - 1]
  while (own % 2 === 1) [own, last] = [Math.floor(own / 2), Math.floor(last / 2)]
  let [firstRoot, secondRoot] = [start, start]
  for (const sibling of path) {
    if (last === 0) return false
    if (own % 2 === 1 || own === last) {
      firstRoot = nodeHash(sibling, firstRoot)
      secondRoot = nodeHash(sibling, secondRoot)
      while (own % 2 === 0 && own > 0) [own, last] = [own / 2, Math.floor(last / 2)]
    } else secondRoot = nodeHash(secondRoot, sibling)
    ;[own, last] = [Math.floor(own / 2), Math.floor(last / 2)]
  }
  return last === 0 && areEqual(firstRoot, first.root) && areEqual(secondRoot, second.root)
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

function isPowerOfTwo(size: number): boolean {
  return size === 1 || splitOf(size) * 2 === size
}
