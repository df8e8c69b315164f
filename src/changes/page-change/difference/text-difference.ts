// Text difference: two lists of lines as rows, side by side: same, removed, added, or changed with the words marked.
//
// Finding the shortest difference costs the square of its length, so it is bounded: texts that differ more are shown as
// removed and added in one piece, and `isCoarse` says so. What stands far from any change is left out (`gap`).

import { diffArrays } from 'diff'
import { alignedPairs, unspaced } from './line-pairing.ts'

interface Piece {
  readonly text: string
  /** Only on this side. */
  readonly isMarked: boolean
}

export type DifferenceRow =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'gap'; readonly lines: number }
  | { readonly kind: 'removed'; readonly text: string }
  | { readonly kind: 'added'; readonly text: string }
  | { readonly kind: 'changed'; readonly left: readonly Piece[]; readonly right: readonly Piece[] }

export interface TextDifference {
  readonly rows: readonly DifferenceRow[]
  readonly counts: { readonly removed: number; readonly added: number; readonly changed: number }
  /** Too different to be told line by line. */
  readonly isCoarse: boolean
  /** Rows that did not fit. */
  readonly rowsLeftOut: number
}

interface DifferenceLimits {
  /** Lines removed plus lines added. */
  readonly lineEdits: number
  /** Words removed plus words added, in a pair of lines. */
  readonly wordEdits: number
  /** In all pairs together; a pair beyond is marked as a whole. */
  readonly wordEditsInAll: number
  readonly rows: number
  /** Same lines shown around a change. */
  readonly contextLines: number
}

export const differenceLimits: DifferenceLimits = {
  lineEdits: 2_500,
  wordEdits: 400,
  wordEditsInAll: 10_000,
  rows: 2_000,
  contextLines: 2,
}

export function textDifference(
  left: readonly string[],
  right: readonly string[],
  limits = differenceLimits,
): TextDifference {
  const { start, end, middle, isCoarse } = middleDifference(left, right, limits)
  const rows = [
    ...left.slice(0, start).map(sameRow),
    ...middle,
    ...left.slice(left.length - end).map(sameRow),
  ]
  const counts = { removed: 0, added: 0, changed: 0 }
  for (const { kind } of rows) if (kind !== 'same' && kind !== 'gap') counts[kind]++
  const near = withGaps(rows, limits.contextLines)
  return {
    rows: near.slice(0, limits.rows),
    counts,
    isCoarse,
    rowsLeftOut: Math.max(0, near.length - limits.rows),
  }
}

/** The same without the lines that both begin and end with: so many at the start, and so many at the end. */
export function middleDifference(
  left: readonly string[],
  right: readonly string[],
  limits: Omit<DifferenceLimits, 'rows' | 'contextLines'>,
): { start: number; end: number; middle: DifferenceRow[]; isCoarse: boolean } {
  const start = sharedStart(left, right)
  const end = sharedEnd(left, right, start)
  const removed = left.slice(start, left.length - end)
  const added = right.slice(start, right.length - end)
  const hunks = hunksOf(removed, added, limits)
  const words = new WordMarking(limits)
  const middle = (hunks ?? [{ removed, added }]).flatMap((hunk) => rowsOf(hunk, words))
  return { start, end, middle, isCoarse: hunks === undefined }
}

type Hunk = { same: readonly string[] } | { removed: readonly string[]; added: readonly string[] }

function hunksOf(
  left: string[],
  right: string[],
  { lineEdits }: Pick<DifferenceLimits, 'lineEdits'>,
): Hunk[] | undefined {
  const changes = diffArrays(left, right, { maxEditLength: lineEdits })
  if (changes === undefined) return undefined
  const hunks: Hunk[] = []
  let removed: string[] = []
  let added: string[] = []
  const close = (): void => {
    if (removed.length + added.length > 0) hunks.push({ removed, added })
    removed = []
    added = []
  }
  for (const change of changes) {
    if (change.removed) removed.push(...change.value)
    else if (change.added) added.push(...change.value)
    else {
      close()
      hunks.push({ same: change.value })
    }
  }
  close()
  return hunks
}

function rowsOf(hunk: Hunk, words: WordMarking): DifferenceRow[] {
  if ('same' in hunk) return hunk.same.map(sameRow)
  return alignedPairs(hunk.removed, hunk.added).map(([left, right]): DifferenceRow => {
    if (left === undefined) return { kind: 'added', text: right! }
    if (right === undefined) return { kind: 'removed', text: left }
    return words.row(left, right)
  })
}

/** Marks the words that changed, until that has cost enough. */
class WordMarking {
  readonly #editsMax: number
  #editsLeft: number

  constructor({ wordEdits, wordEditsInAll }: Pick<DifferenceLimits, 'wordEdits' | 'wordEditsInAll'>) {
    this.#editsMax = wordEdits
    this.#editsLeft = wordEditsInAll
  }

  row(left: string, right: string): DifferenceRow {
    const maxEditLength = Math.min(this.#editsMax, this.#editsLeft)
    const changes =
      maxEditLength === 0 ? undefined : diffArrays(tokensOf(left), tokensOf(right), { maxEditLength })
    this.#editsLeft -= changes === undefined ? maxEditLength : editsIn(changes)
    if (changes === undefined) {
      return {
        kind: 'changed',
        left: [{ text: left, isMarked: true }],
        right: [{ text: right, isMarked: true }],
      }
    }
    const pieces = (other: 'added' | 'removed', mark: 'added' | 'removed'): Piece[] =>
      changes
        .filter((change) => !change[other])
        .map((change) => ({ text: change.value.join(''), isMarked: change[mark] }))
    return { kind: 'changed', left: pieces('added', 'removed'), right: pieces('removed', 'added') }
  }
}

function editsIn(changes: readonly { count: number; added: boolean; removed: boolean }[]): number {
  return changes.reduce((sum, { count, added, removed }) => (added || removed ? sum + count : sum), 0)
}

/** Words, the spaces between them, and whatever else there is one by one; in every script that has words. */
function tokensOf(line: string): string[] {
  if (unspaced.test(line)) return [...line]
  return line.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gsu) ?? []
}

function sameRow(text: string): DifferenceRow {
  return { kind: 'same', text }
}

function withGaps(rows: readonly DifferenceRow[], contextLines: number): DifferenceRow[] {
  const isNear = new Uint8Array(rows.length)
  for (const [index, { kind }] of rows.entries()) {
    if (kind !== 'same') isNear.fill(1, Math.max(0, index - contextLines), index + contextLines + 1)
  }
  const shown: DifferenceRow[] = []
  let lines = 0
  for (const [index, row] of rows.entries()) {
    if (isNear[index] === 0) lines++
    else {
      if (lines > 0) shown.push({ kind: 'gap', lines })
      lines = 0
      shown.push(row)
    }
  }
  if (lines > 0) shown.push({ kind: 'gap', lines })
  return shown
}

function sharedStart(left: readonly string[], right: readonly string[]): number {
  let count = 0
  while (count < left.length && count < right.length && left[count] === right[count]) count++
  return count
}

function sharedEnd(left: readonly string[], right: readonly string[], start: number): number {
  const countMax = Math.min(left.length, right.length) - start
  let count = 0
  while (count < countMax && left[left.length - 1 - count] === right[right.length - 1 - count]) count++
  return count
}
