// Differences of text as a table of two columns, which the stylesheet turns into one for the view in line.

import type { DifferenceRow, TextDifference } from '../../changes/page-change/difference/text-difference.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import { compareTexts } from '../texts/compare.ts'
import { addedPieces, removedPieces } from './versions/inline-difference.ts'

export function textTable({ rows, counts, isCoarse, rowsLeftOut }: TextDifference): Html {
  const isSame = counts.removed + counts.added + counts.changed === 0
  return html`<section class="view view-text" aria-label="${compareTexts.words}">
${isCoarse ? html`<p class="note">${compareTexts.coarse}</p>` : nothing}
${isSame ? html`<p class="note">${compareTexts.sameWords}</p>` : nothing}
<table class="difference">
<thead class="unseen"><tr><th scope="col">${compareTexts.earlierHead}</th><th scope="col">${compareTexts.laterHead}</th></tr></thead>
<tbody>${rows.map(rowOf)}</tbody>
</table>
${rowsLeftOut === 0 ? nothing : html`<p class="note">${compareTexts.rowsLeftOut({ count: rowsLeftOut })}</p>`}
</section>`
}

function rowOf(row: DifferenceRow): Html {
  switch (row.kind) {
    case 'same':
      return html`<tr class="same"><td dir="auto">${row.text}</td><td dir="auto">${row.text}</td></tr>`
    case 'gap':
      return html`<tr class="gap"><td colspan="2">${compareTexts.linesSame({ count: row.lines })}</td></tr>`
    case 'removed':
      return html`<tr class="removed"><td dir="auto"><del>${row.text}</del></td><td class="void"></td></tr>`
    case 'added':
      return html`<tr class="added"><td class="void"></td><td dir="auto"><ins>${row.text}</ins></td></tr>`
    case 'changed':
      return html`<tr class="changed"><td dir="auto">${removedPieces(row.left)}</td><td dir="auto">${addedPieces(row.right)}</td></tr>`
  }
}
