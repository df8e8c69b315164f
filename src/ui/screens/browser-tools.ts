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
import { ownersOnly, scopeChoice } from './jobs/archive-now.ts'

/** `noopener`: the page that it was used on gets no hold of ours. */
export function bookmarkletFor(archiveOrigin: string): string {
  return `javascript:void open(${JSON.stringify(`${archiveOrigin}/archive?url=`)}+encodeURIComponent(location.href),'_blank','noopener')`
}

export function toolsScreen(archiveOrigin: string): Screen {
  return {
    title: 'Archive from your browser',
    name: 'tools',
    body: html`<header class="about-url"><h1>Archive from your browser</h1>
<p>Two ways to archive the page that you are reading, without copying its address.</p></header>
<section aria-labelledby="bookmarklet"><h2 id="bookmarklet">A bookmark</h2>
<p>Drag this to the bar of bookmarks: <a class="button" rel="bookmark" href="${bookmarkletFor(archiveOrigin)}">Archive this page</a></p>
<p>Where it cannot be dragged, make a bookmark of any page, and put this in place of its address:</p>
<pre class="example"><code>${bookmarkletFor(archiveOrigin)}</code></pre>
<p>On any page, the bookmark opens this archive with the page’s address filled in, and you say whether to archive it. It knows no password: a page on which you use it learns where your archive is, and nothing else. Some sites forbid bookmarks of this kind; the extension works there, too.</p></section>
<section aria-labelledby="extension"><h2 id="extension">An extension</h2>
<p>For Chromium and Firefox: archives a page with one click, and tells how often it is archived already. It lies in <code>dist/extension-chromium</code> and <code>dist/extension-firefox</code> of the program. To connect it, run <code>polyhistor link</code> on the machine of this archive, and give the extension the link that is printed. It gets a key with which it can archive pages, and do nothing else; <code>polyhistor link --revoke</code> takes it back.</p></section>`,
  }
}

/** `isOwner`: undefined where that cannot be told, for browsers do not show the cookie when another site's page led here. */
export function archiveRequestScreen(url: string, isOwner: boolean | undefined): Screen {
  return {
    title: 'Archive this page?',
    name: 'archive-request',
    script: 'archive-request.ts',
    typed: readableUrl(url),
    body: html`<section class="failure" aria-labelledby="request">
<p class="eyebrow">From your browser</p>
<h1 id="request">Archive this page?</h1>
<p>${urlElement(url)}</p>
${isOwner === false ? ownersOnly : form(url)}
${isOwner === undefined ? html`<p class="note">Only the owner of this archive can do that.</p>` : nothing}
<ul class="tools"><li><a href="${calendarPath(url)}">Versions of this page</a></li></ul>
</section>`,
  }
}

function form(url: string): Html {
  return html`<form class="archive-now archive-request" action="/save" method="post">
<input type="hidden" name="url" value="${url}">
<button type="submit" class="primary">Archive it now</button>
${scopeChoice('archive-scope')}
</form>`
}
