// Excerpt: the first of what changed in a watched part, small enough to be kept with every change, put in a feed and sent.
//
// A text difference has the lines around a change and may be as large as the page; of an excerpt there are at most two thousand
// characters, whatever the page is.

import type { DifferenceRow, TextDifference } from '../page-change/difference/text-difference.ts'
import type { Excerpt, ExcerptRow } from './page-watch.ts'

type Piece = Extract<DifferenceRow, { kind: 'changed' }>['left'][number]

export const excerptRowsMax = 8
export const excerptPiecesMax = 40
const charsInAll = 2_000
const rowCharsMax = 500
/** Of words that stayed, on each side of a change. */
const aroundChars = 60

export function excerptOf({ rows, rowsLeftOut }: Pick<TextDifference, 'rows' | 'rowsLeftOut'>): Excerpt {
  const changed = rows.filter((row): row is ExcerptRow => row.kind !== 'same' && row.kind !== 'gap')
  const kept: ExcerptRow[] = []
  let chars = 0
  for (const row of changed.slice(0, excerptRowsMax)) {
    const short = shortened(row)
    chars += charsOf(short)
    if (chars > charsInAll && kept.length > 0) break
    kept.push(short)
  }
  return { rows: kept, rowsLeftOut: rowsLeftOut + changed.length - kept.length }
}

/** For those who read text only: `- gone`, `+ come`, `~ [-old-]{+new+}`. */
export function excerptLines({ rows }: Excerpt): string[] {
  return rows.map((row) => {
    if (row.kind === 'removed') return `- ${row.text}`
    if (row.kind === 'added') return `+ ${row.text}`
    return `~ ${mergedText(row.left, row.right)}`
  })
}

function mergedText(left: readonly Piece[], right: readonly Piece[]): string {
  let text = ''
  let at = 0
  const come = (): void => {
    for (; at < right.length && right[at]!.isMarked; at++) text += `{+${right[at]!.text}+}`
  }
  for (const piece of left) {
    if (piece.isMarked) {
      text += `[-${piece.text}-]`
      continue
    }
    come()
    text += piece.text
    at++
  }
  come()
  return text
}

function shortened(row: ExcerptRow): ExcerptRow {
  if (row.kind !== 'changed') return { kind: row.kind, text: cut(row.text, rowCharsMax) }
  const [left, right] = [pieces(row.left), pieces(row.right)]
  if (left !== undefined && right !== undefined) return { kind: 'changed', left, right }
  // Too many changes in one line to be told apart.
  return {
    kind: 'changed',
    left: [{ text: cut(textOf(row.left), rowCharsMax), isMarked: true }],
    right: [{ text: cut(textOf(row.right), rowCharsMax), isMarked: true }],
  }
}

function pieces(all: readonly Piece[]): Piece[] | undefined {
  if (all.length > excerptPiecesMax) return undefined
  const short = all.map(({ text, isMarked }) => ({
    text: isMarked ? cut(text, rowCharsMax) : around(text),
    isMarked,
  }))
  return textOf(short).length > 2 * rowCharsMax ? undefined : short
}

function around(text: string): string {
  if (text.length <= 2 * aroundChars) return text
  return `${text.slice(0, aroundChars)} … ${text.slice(-aroundChars)}`.toWellFormed()
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`.toWellFormed()
}

function textOf(all: readonly Piece[]): string {
  return all.map(({ text }) => text).join('')
}

function charsOf(row: ExcerptRow): number {
  return row.kind === 'changed' ? textOf(row.left).length + textOf(row.right).length : row.text.length
}
