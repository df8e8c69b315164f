// Inline difference: the words that went and came, marked in one line of running text: for lists of watches, feeds and rows of the
// comparison, from the same difference.

import type {
  DifferenceRow,
  TextDifference,
} from '../../../changes/page-change/difference/text-difference.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { compareTexts } from '../../texts/compare.ts'

/** One side of a changed line. */
export type Piece = Extract<DifferenceRow, { kind: 'changed' }>['left'][number]

/** Words around a change that show where it stands. */
const contextChars = 40
const rowsMax = 5
const rowCharsMax = 300

/** What changed and nothing else, the first of it; `rows` at most. */
export function inlineDifference(
  { rows, rowsLeftOut }: Pick<TextDifference, 'rows' | 'rowsLeftOut'>,
  max = rowsMax,
): Html {
  const changed = rows.filter(({ kind }) => kind !== 'same' && kind !== 'gap')
  const more = changed.length - max + rowsLeftOut
  return html`<ul class="inline-difference">${changed.slice(0, max).map((row) => html`<li dir="auto">${inline(row)}</li>`)}${more > 0 ? html`<li class="note">${compareTexts.morePassages({ count: more })}</li>` : nothing}</ul>`
}

/** The pieces of one side, those that are only there marked. */
export function removedPieces(pieces: readonly Piece[]): Html[] {
  return pieces.map(({ text, isMarked }) => (isMarked ? html`<del>${text}</del>` : html`${text}`))
}

export function addedPieces(pieces: readonly Piece[]): Html[] {
  return pieces.map(({ text, isMarked }) => (isMarked ? html`<ins>${text}</ins>` : html`${text}`))
}

function inline(row: DifferenceRow): Html {
  switch (row.kind) {
    case 'removed':
      return html`<del>${cut(row.text)}</del>`
    case 'added':
      return html`<ins>${cut(row.text)}</ins>`
    case 'changed':
      return html`${merged(row.left, row.right)}`
    default:
      return nothing
  }
}

/** Both sides have the same unmarked pieces in the same order: before each, what went and what came. */
function merged(left: readonly Piece[], right: readonly Piece[]): Html[] {
  const shown: Html[] = []
  let at = 0
  const comeUntilShared = (): void => {
    for (; at < right.length && right[at]!.isMarked; at++)
      shown.push(html`<ins>${cut(right[at]!.text)}</ins>`)
  }
  for (const { text, isMarked } of left) {
    if (isMarked) {
      shown.push(html`<del>${cut(text)}</del>`)
      continue
    }
    comeUntilShared()
    shown.push(html`${shortened(text)}`)
    at++
  }
  comeUntilShared()
  return shown
}

function shortened(text: string): string {
  return text.length <= 2 * contextChars
    ? text
    : `${text.slice(0, contextChars)} … ${text.slice(-contextChars)}`
}

function cut(text: string): string {
  return text.length <= rowCharsMax ? text : `${text.slice(0, rowCharsMax)}…`
}

/** The same of an excerpt, for feeds. */
export function excerptMarkup(difference: Pick<TextDifference, 'rows' | 'rowsLeftOut'>): string {
  return inlineDifference(difference).toString()
}
