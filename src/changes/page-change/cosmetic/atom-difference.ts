// Atom difference: which atoms of two versions of a page are not the same, put together in pairs.
//
// A changed atom's context tells where it stands by what did not change: the last text before it that both versions have, and the
// how-manyeth of its path it is since. So it is found again when other parts of the page come and go.

import { diffArrays } from 'diff'
import { maskText } from './masked-text.ts'
import type { PageAtom, PagePath } from './page-path.ts'
import { hashOf, joinHash } from './value-hash.ts'

/** One of them is undefined where an atom came or went. */
export interface AtomPair {
  readonly before: PageAtom | undefined
  readonly after: PageAtom | undefined
  /** Of the atoms of this kind and path, those that stayed the same: 0 to 1. */
  readonly sameShare: number
}

/** Beyond, atoms of one path are put together in their order. */
const editsMax = 100

export function changedPairs(paths: readonly PagePath[]): AtomPair[] {
  const pairs: AtomPair[] = []
  for (const { atoms } of paths) {
    pairsOf(atoms.element[0], atoms.element[1], pairs)
    pairsOf(atoms.text[0], atoms.text[1], pairs)
  }
  for (const { before, after } of pairs) {
    if (before !== undefined) before.isChanged = true
    if (after !== undefined) after.isChanged = true
  }
  return pairs
}

function pairsOf(before: readonly PageAtom[], after: readonly PageAtom[], found: AtomPair[]): void {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start]!.value === after[start]!.value) start++
  if (start === before.length && start === after.length) return
  let end = 0
  while (
    end < shorter - start &&
    before[before.length - 1 - end]!.value === after[after.length - 1 - end]!.value
  )
    end++
  const left = before.slice(start, before.length - end)
  const right = after.slice(start, after.length - end)
  const isPlain = left.length * right.length <= 1 || areSlotsOnly(left, right)
  const pairs = isPlain ? sameLeftOut(inOrder(left, right)) : matched(left, right)
  const sameShare = 1 - pairs.length / Math.max(before.length, after.length, pairs.length)
  for (const [one, other] of pairs) found.push({ before: one, after: other, sameShare })
}

const slotListMax = 200

/** A list of times, say, of which each has become a little later. */
function areSlotsOnly(left: readonly PageAtom[], right: readonly PageAtom[]): boolean {
  if (left.length !== right.length || left.length > slotListMax || left[0]!.kind !== 'text') return false
  return left.every(({ value }, at) => {
    const skeleton = maskText(value)?.skeleton
    return skeleton !== undefined && skeleton === maskText(right[at]!.value)?.skeleton
  })
}

type Pair = [PageAtom | undefined, PageAtom | undefined]

function matched(left: readonly PageAtom[], right: readonly PageAtom[]): Pair[] {
  const changes = diffArrays(
    left.map(({ value }) => value),
    right.map(({ value }) => value),
    { maxEditLength: editsMax },
  )
  if (changes === undefined) return sameLeftOut(inOrder(left, right))
  // Lists that have little in common were made anew: those belong together that stand at the same place.
  const same = changes.reduce((sum, { count, added, removed }) => (added || removed ? sum : sum + count), 0)
  if (left.length === right.length && same * 2 < left.length) return sameLeftOut(inOrder(left, right))
  const pairs: Pair[] = []
  let removed: PageAtom[] = []
  let added: PageAtom[] = []
  let leftAt = 0
  let rightAt = 0
  for (const { count, added: isAdded, removed: isRemoved } of changes) {
    if (isRemoved) removed = left.slice(leftAt, leftAt + count)
    else if (isAdded) added = right.slice(rightAt, rightAt + count)
    else {
      pairs.push(...inOrder(removed, added))
      removed = []
      added = []
    }
    if (!isAdded) leftAt += count
    if (!isRemoved) rightAt += count
  }
  return [...pairs, ...inOrder(removed, added)]
}

function sameLeftOut(pairs: readonly Pair[]): Pair[] {
  return pairs.filter(([one, other]) => one?.value !== other?.value)
}

function inOrder(left: readonly PageAtom[], right: readonly PageAtom[]): Pair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [left[at], right[at]])
}

/** How far back a label is looked for. */
const labelDistanceMax = 300

/** Told by changedPairs before which of them changed. What is the only one of its path needs no other context. */
export function setContexts(atoms: readonly PageAtom[]): void {
  for (const [at, atom] of atoms.entries()) {
    if (!atom.isChanged) continue
    const kind = atom.kind === 'element' ? 0 : 1
    const isOnly = atom.path.atoms[kind === 0 ? 'element' : 'text'].every(({ length }) => length <= 1)
    const { label, place } = isOnly ? { label: 0, place: 0 } : labelBefore(atoms, at)
    atom.context = joinHash(joinHash(atom.path.hash, label), place * 2 + kind)
  }
}

/** The last label before an atom, and the how-manyeth of its kind and path it is since. Items of a list are no labels of each other. */
function labelBefore(atoms: readonly PageAtom[], at: number): { label: number; place: number } {
  const { path, kind } = atoms[at]!
  const isElement = kind === 'element'
  let place = 1
  for (let before = at - 1; before >= 0 && before >= at - labelDistanceMax; before--) {
    const other = atoms[before]!
    if (other.path === path) {
      if ((other.kind === 'element') === isElement) place++
    } else if (!other.isChanged && isLabel(other)) return { label: hashOf(other.value), place }
  }
  return { label: 0, place }
}

/** A text that hardly changes: without digits, and in a box that rotates only its heading. */
function isLabel({ kind, value, path }: PageAtom): boolean {
  if (kind !== 'text' || /\d/.test(value) || !/\p{L}{2}/u.test(value)) return false
  return path.rotating === undefined || path.isHeading
}

/** Whether what is in both versions stands in the same order in both. Of paths of which something came or went that is not asked:
 * there the order of their own atoms is what was compared. */
export function isSameOrder(
  before: readonly PageAtom[],
  after: readonly PageAtom[],
  pairs: readonly AtomPair[],
): boolean {
  const loose = new Set<PagePath>()
  for (const pair of pairs) {
    if (pair.before === undefined) loose.add(pair.after!.path)
    if (pair.after === undefined) loose.add(pair.before!.path)
  }
  let at = 0
  for (const { path, kind } of before) {
    if (loose.has(path)) continue
    while (at < after.length && loose.has(after[at]!.path)) at++
    const other = after[at++]
    if (other?.path !== path || other.kind !== kind) return false
  }
  while (at < after.length && loose.has(after[at]!.path)) at++
  return at >= after.length
}
