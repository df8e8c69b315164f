// Links that a page gained and lost.

import type { PageLink } from '../../../changes/page-change/difference/comparable.ts'
import type { LinkDifference } from '../../../changes/page-change/difference/link-difference.ts'
import type { Version } from '../../archive.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { versionPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { linksTexts } from '../../texts/links.ts'
import { sharedTexts } from '../../texts/shared.ts'

/** Links lead into the archive, to the time of the later version. */
export function linkLists({ added, removed, kept, leftOut }: LinkDifference, later: Version): Html {
  return html`<section class="view view-links" aria-label="${linksTexts.links}">
<div class="sides">
${list(linksTexts.removed, 'removed', removed, leftOut.removed, later)}
${list(linksTexts.added, 'added', added, leftOut.added, later)}
</div>
<p class="note">${linksTexts.inBoth({ count: kept })}</p>
</section>`
}

function list(
  name: Html,
  kind: string,
  links: readonly PageLink[],
  leftOut: number,
  { capturedAtMs }: Version,
): Html {
  return html`<section class="side"><h2>${name} <small>${links.length + leftOut}</small></h2>
${
  links.length === 0
    ? html`<p class="note">${linksTexts.none}</p>`
    : html`<ul class="links ${kind}">${links.map(
        ({ href, text }) =>
          html`<li><a href="${versionPath(capturedAtMs, href)}">${urlElement(href)}</a>${text === '' ? nothing : html`<bdi class="note">${text}</bdi>`}</li>`,
      )}</ul>`
}
${leftOut === 0 ? nothing : html`<p class="note">${sharedTexts.andMore({ number: leftOut })}</p>`}</section>`
}
