// Home: a field to type a URL into, to read it or to archive it now; and what this archive holds.

import { plural, printBytes } from '../amounts.ts'
import type { ArchiveTotals, RecentCapture } from '../archive.ts'
import { momentElement } from '../dates.ts'
import { type Html, html, nothing } from '../html.ts'
import type { Screen } from '../layout.ts'
import { calendarPath, versionPath } from '../links.ts'
import { urlElement } from '../shown-url.ts'
import { ownersOnly, scopeChoice } from './archive-now.ts'

export interface HomeData {
  readonly totals: ArchiveTotals
  readonly recent: readonly RecentCapture[]
  readonly isOwner: boolean
}

export function homeScreen({ totals, recent, isOwner }: HomeData): Screen {
  return {
    title: 'Polyhistor: the web, as it was',
    name: 'home',
    masthead: 'no-field',
    body: html`<section class="hero" aria-labelledby="hero">
<h1 id="hero">The web, as it was.</h1>
<p class="lead">Type the address of a page: read it as it was kept${isOwner ? ', or archive it now and watch.' : '.'}</p>
<form class="opening" action="/go" method="get">
<div class="field">
<label for="url">Address of a page</label>
<input id="url" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required autofocus placeholder="https://example.com/">
</div>
<div class="actions">
<button type="submit" class="primary">Read it</button>
${
  isOwner
    ? html`<button type="submit" formaction="/save" formmethod="post">Archive it now</button>
${scopeChoice('home-scope')}`
    : nothing
}
</div>
</form>
${isOwner ? nothing : ownersOnly}
<p class="totals">${totalsSentence(totals)}</p>
</section>
<div class="columns">
${recentSection(recent)}
${explanation}
</div>`,
  }
}

function totalsSentence({ captures, bytes }: ArchiveTotals): Html {
  if (captures === 0)
    return html`This archive is empty so far. The first page that is archived will appear here.`
  return html`This archive keeps <strong>${plural(captures, 'capture')}</strong>, ${printBytes(bytes.original)} of pages on ${printBytes(bytes.onDisk)} of disk. <a href="/status">More figures</a>`
}

function recentSection(recent: readonly RecentCapture[]): Html {
  if (recent.length === 0) return nothing
  return html`<section aria-labelledby="recent">
<h2 id="recent">Kept last</h2>
<ul class="recent">${recent.map(
    ({ url, capturedAtMs, status }) => html`
<li><a href="${versionPath(capturedAtMs, url)}">${urlElement(url)}</a>
<span class="note">${momentElement(capturedAtMs)}${status >= 400 ? html` · answered ${status}` : nothing} · <a href="${calendarPath(url)}">all versions</a></span></li>`,
  )}
</ul>
</section>`
}

const explanation = html`<section aria-labelledby="about">
<h2 id="about">How it works</h2>
<dl class="how">
<dt>Every version, once</dt>
<dd>A page is kept whenever it changes; what did not change is not stored again. Everything lies in plain WARC files that outlive this program.</dd>
<dt>As it was</dt>
<dd>Pages are replayed with their images, styles and scripts of the same time, shut off from the live web. Nothing you read here tells anybody that you read it.</dd>
<dt>Side by side</dt>
<dd>Any two versions can be compared: words, links and looks.</dd>
<dt>For programs too</dt>
<dd>Memento, CDX and an API answer at the same address. A page's address here is <code>/web/<i>time</i>/<i>address</i></code>, all its versions are at <code>/web/*/<i>address</i></code>, all pages that start alike at <code>/web/*/<i>address</i>*</code>.</dd>
</dl>
</section>`
