// Differences of text as a table of two columns, which the stylesheet turns into one for the view in line.

import type { DifferenceRow, TextDifference } from '../../changes/page-change/difference/text-difference.ts'
import { plural } from '../markup/amounts.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import { addedPieces, removedPieces } from './versions/inline-difference.ts'

export function textTable({ rows, counts, isCoarse, rowsLeftOut }: TextDifference): Html {
  const isSame = counts.removed + counts.added + counts.changed === 0
  return html`<section class="view view-text" aria-label="Words">
${isCoarse ? html`<p class="note">The two texts differ too much to be matched line by line: the old one is shown as removed, the new one as added.</p>` : nothing}
${isSame ? html`<p class="note">The words of both versions are the same.</p>` : nothing}
<table class="difference">
<thead class="unseen"><tr><th scope="col">Earlier</th><th scope="col">Later</th></tr></thead>
<tbody>${rows.map(rowOf)}</tbody>
</table>
${rowsLeftOut === 0 ? nothing : html`<p class="note">${plural(rowsLeftOut, 'more row')} did not fit on this page.</p>`}
</section>`
}

function rowOf(row: DifferenceRow): Html {
  switch (row.kind) {
    case 'same':
      return html`<tr class="same"><td dir="auto">${row.text}</td><td dir="auto">${row.text}</td></tr>`
    case 'gap':
      return html`<tr class="gap"><td colspan="2">${plural(row.lines, 'line')} the same</td></tr>`
    case 'removed':
      return html`<tr class="removed"><td dir="auto"><del>${row.text}</del></td><td class="void"></td></tr>`
    case 'added':
      return html`<tr class="added"><td class="void"></td><td dir="auto"><ins>${row.text}</ins></td></tr>`
    case 'changed':
      return html`<tr class="changed"><td dir="auto">${removedPieces(row.left)}</td><td dir="auto">${addedPieces(row.right)}</td></tr>`
  }
}
