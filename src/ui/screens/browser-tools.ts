// Archiving from the browser: the page that offers the bookmarklet, and the one that it opens.
//
// The bookmarklet runs inside whatever page is open, which may be hostile and change every function that it calls. So it holds nothing
// secret, and does nothing but open an address that any page could open by itself: there the owner sees what would be archived, and
// is asked. The page that asks cannot be framed, and its button waits until somebody can have read it (web/archive-request.ts).

import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath } from '../markup/links.ts'
import { readableUrl } from '../markup/readable-url.ts'
import { urlElement } from '../markup/shown-url.ts'
import { archivingTexts } from '../texts/archiving.ts'
import { sharedTexts } from '../texts/shared.ts'
import { ownersOnly, scopeChoice } from './jobs/archive-now.ts'

/** `noopener`: the page that it was used on gets no hold of ours. */
export function bookmarkletFor(archiveOrigin: string): string {
  return `javascript:void open(${JSON.stringify(`${archiveOrigin}/archive?url=`)}+encodeURIComponent(location.href),'_blank','noopener')`
}

export function toolsScreen(archiveOrigin: string): Screen {
  return {
    title: archivingTexts.toolsTitle,
    name: 'tools',
    body: html`<header class="about-url"><h1>${archivingTexts.toolsTitle}</h1>
<p>${archivingTexts.toolsWords}</p></header>
<section aria-labelledby="bookmarklet"><h2 id="bookmarklet">${archivingTexts.bookmark}</h2>
<p>${archivingTexts.drag} <a class="button" rel="bookmark" href="${bookmarkletFor(archiveOrigin)}">${archivingTexts.archiveThisPage}</a></p>
<p>${archivingTexts.cannotDrag}</p>
<pre class="example"><code>${bookmarkletFor(archiveOrigin)}</code></pre>
<p>${archivingTexts.bookmarkWords}</p></section>
<section aria-labelledby="extension"><h2 id="extension">${archivingTexts.extension}</h2>
<p>${archivingTexts.extensionWords}</p></section>`,
  }
}

/** `isOwner`: undefined where that cannot be told, for browsers do not show the cookie when another site's page led here. */
export function archiveRequestScreen(url: string, isOwner: boolean | undefined): Screen {
  return {
    title: archivingTexts.archiveThisPageQuestion,
    name: 'archive-request',
    script: 'archive-request.ts',
    typed: readableUrl(url),
    body: html`<section class="failure" aria-labelledby="request">
<p class="eyebrow">${archivingTexts.fromBrowser}</p>
<h1 id="request">${archivingTexts.archiveThisPageQuestion}</h1>
<p>${urlElement(url)}</p>
${isOwner === false ? ownersOnly : form(url)}
${isOwner === undefined ? html`<p class="note">${archivingTexts.ownerCan}</p>` : nothing}
<ul class="tools"><li><a href="${calendarPath(url)}">${archivingTexts.versionsOfPage}</a></li></ul>
</section>`,
  }
}

function form(url: string): Html {
  return html`<form class="archive-now archive-request" action="/save" method="post">
<input type="hidden" name="url" value="${url}">
<button type="submit" class="primary">${sharedTexts.archiveItNow}</button>
${scopeChoice('archive-scope')}
</form>`
}
