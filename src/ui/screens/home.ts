// Home: a field to type a URL into, to read it or to archive it now; and what this archive holds.

import type { ArchiveTotals, RecentCapture } from '../archive.ts'
import { plural, printBytes } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath, versionPath } from '../markup/links.ts'
import { urlElement } from '../markup/shown-url.ts'
import type { SiteList } from '../site-list.ts'
import { ownersOnly, scopeChoice } from './archive-now.ts'
import { sitesSection } from './sites.ts'

interface HomeData {
  readonly totals: ArchiveTotals
  /** Only what answered. */
  readonly recent: readonly RecentCapture[]
  readonly sites: SiteList
  readonly isOwner: boolean
}

export function homeScreen({ totals, recent, sites, isOwner }: HomeData): Screen {
  const isEmpty = totals.captures === 0 && sites.total === 0
  return {
    title: 'Polyhistor: the web, as it was',
    name: 'home',
    masthead: 'no-field',
    body: html`<section class="hero" aria-labelledby="hero">
<h1 id="hero">The web, as it was.</h1>
<p class="lead">${leadOf(isEmpty, isOwner)}</p>
${isEmpty && isOwner ? firstForm : readingForm(isOwner)}
${isOwner ? nothing : ownersOnly}
${isEmpty ? nothing : html`<p class="totals">${totalsSentence(totals, sites.peers !== undefined)}</p>`}
</section>
<div class="columns">
${sitesSection(sites)}
${recentSection(recent, sites.peers !== undefined)}
${explanation}
</div>`,
  }
}

function leadOf(isEmpty: boolean, isOwner: boolean): string {
  if (isEmpty) {
    return isOwner
      ? 'This archive is empty so far. Type the address of the first page to keep: it is fetched at once, with all it needs.'
      : 'This archive is empty so far. The first page that is archived will appear here.'
  }
  return `Type the address of a page: read it as it was kept${isOwner ? ', or archive it now and watch.' : '.'}`
}

const field = html`<div class="field">
<label for="url">Address of a page</label>
<input id="url" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required autofocus placeholder="https://example.com/">
</div>`

/** Nothing can be read yet. */
const firstForm = html`<form class="opening" action="/save" method="post">
${field}
<div class="actions"><button type="submit" class="primary">Archive it now</button>
${scopeChoice('home-scope')}</div>
</form>`

function readingForm(isOwner: boolean): Html {
  return html`<form class="opening" action="/go" method="get">
${field}
<div class="actions">
<button type="submit" class="primary">Read it</button>
${
  isOwner
    ? html`<button type="submit" formaction="/save" formmethod="post">Archive it now</button>
${scopeChoice('home-scope')}`
    : nothing
}
</div>
</form>`
}

/** With others, what lies here is a part of the archive. */
function totalsSentence({ captures, bytes }: ArchiveTotals, isOfPeer: boolean): Html {
  return html`This ${isOfPeer ? 'peer' : 'archive'} keeps <strong>${plural(captures, 'capture')}</strong>, ${printBytes(bytes.original)} of pages on ${printBytes(bytes.onDisk)} of disk. <a href="/status">More figures</a>`
}

function recentSection(recent: readonly RecentCapture[], isOfPeer: boolean): Html {
  if (recent.length === 0) return nothing
  return html`<section aria-labelledby="recent">
<h2 id="recent">Kept last${isOfPeer ? ' by this peer' : ''}</h2>
<ul class="recent">${recent.map(
    ({ url, capturedAtMs }) => html`
<li><a href="${versionPath(capturedAtMs, url)}">${urlElement(url)}</a>
<span class="note">${momentElement(capturedAtMs)} · <a href="${calendarPath(url)}">all versions</a></span></li>`,
  )}
</ul>
</section>`
}

const explanation = html`<section class="about" aria-labelledby="about">
<h2 id="about">How it works</h2>
<dl class="how">
<div><dt>Every version, once</dt>
<dd>A page is kept whenever it changes; what did not change is not stored again. Everything lies in plain WARC files that outlive this program.</dd></div>
<div><dt>As it was</dt>
<dd>Pages are replayed with their images, styles and scripts of the same time, shut off from the live web. Nothing you read here tells anybody that you read it.</dd></div>
<div><dt>Side by side</dt>
<dd>Any two versions can be compared: words, links and looks.</dd></div>
<div><dt>For programs too</dt>
<dd><a href="/interfaces">Memento, CDX and an API</a> answer at the same address. A page's address here is <code>/web/<i>time</i>/<i>address</i></code>, all its versions are at <code>/web/*/<i>address</i></code>, all pages that start alike at <code>/web/*/<i>address</i>*</code>.</dd></div>
</dl>
</section>`
