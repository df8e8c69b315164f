// Links that a page gained and lost.

import type { PageLink } from '../../../changes/page-change/difference/comparable.ts'
import type { LinkDifference } from '../../../changes/page-change/difference/link-difference.ts'
import type { Version } from '../../archive.ts'
import { plural } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { versionPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'

/** Links lead into the archive, to the time of the later version. */
export function linkLists({ added, removed, kept, leftOut }: LinkDifference, later: Version): Html {
  return html`<section class="view view-links" aria-label="Links">
<div class="sides">
${list('Removed', 'removed', removed, leftOut.removed, later)}
${list('Added', 'added', added, leftOut.added, later)}
</div>
<p class="note">${plural(kept, 'link is', 'links are')} in both.</p>
</section>`
}

function list(
  name: string,
  kind: string,
  links: readonly PageLink[],
  leftOut: number,
  { capturedAtMs }: Version,
): Html {
  return html`<section class="side"><h2>${name} <small>${links.length + leftOut}</small></h2>
${
  links.length === 0
    ? html`<p class="note">None.</p>`
    : html`<ul class="links ${kind}">${links.map(
        ({ href, text }) =>
          html`<li><a href="${versionPath(capturedAtMs, href)}">${urlElement(href)}</a>${text === '' ? nothing : html`<bdi class="note">${text}</bdi>`}</li>`,
      )}</ul>`
}
${leftOut === 0 ? nothing : html`<p class="note">and ${leftOut} more</p>`}</section>`
}
