// Home: a field to type a URL into, to read it or to archive it now; and what this archive holds.

import type { ArchiveTotals, RecentCapture } from '../archive.ts'
import { plural, printBytes } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath, versionPath } from '../markup/links.ts'
import { urlElement } from '../markup/shown-url.ts'
import { thumbnail } from '../markup/thumbnail.ts'
import type { SiteList } from '../site-list.ts'
import { ownersOnly, scopeChoice } from './jobs/archive-now.ts'
import { sitesSection } from './status/sites.ts'
import { takingIn, uploadScript } from './taking-in.ts'

interface HomeData {
  readonly totals: ArchiveTotals
  /** Only what answered. */
  readonly recent: readonly RecentCapture[]
  readonly sites: SiteList
  readonly isOwner: boolean
  /** Words can be looked for. */
  readonly hasSearch: boolean
}

export function homeScreen({ totals, recent, sites, isOwner, hasSearch }: HomeData): Screen {
  const isEmpty = totals.captures === 0 && sites.total === 0
  return {
    title: 'Polyhistor: the web, as it was',
    name: 'home',
    masthead: 'no-field',
    ...(isEmpty && isOwner ? { script: uploadScript } : {}),
    body: html`<section class="hero" aria-labelledby="hero">
<h1 id="hero">The web, as it was.</h1>
<p class="lead">${leadOf(isEmpty, isOwner, hasSearch)}</p>
${isEmpty && isOwner ? firstForm : readingForm(isOwner, hasSearch)}
${isOwner ? nothing : ownersOnly}
${isEmpty ? nothing : html`<p class="totals">${totalsSentence(totals, sites.peers !== undefined)}</p>`}
</section>
${isEmpty && isOwner ? otherBeginnings : nothing}
<div class="columns">
${sitesSection(sites)}
${recentSection(recent, sites.peers !== undefined)}
${explanation}
</div>`,
  }
}

function leadOf(isEmpty: boolean, isOwner: boolean, hasSearch: boolean): string {
  if (isEmpty) {
    return isOwner
      ? 'This archive is empty so far. Type the address of the first page to keep: it is fetched at once, with all it needs.'
      : 'This archive is empty so far. The first page that is archived will appear here.'
  }
  return `Type the address of a page${hasSearch ? ', or words that stand in it' : ''}: read it as it was kept${isOwner ? ', or archive it now and watch.' : '.'}`
}

/** Addresses alone, or words to look for, too. */
function field(isForWords: boolean): Html {
  const label = isForWords ? 'Address of a page, or words to look for' : 'Address of a page'
  return html`<div class="field">
<label for="url">${label}</label>
<input id="url" name="url" type="text" inputmode="${isForWords ? 'search' : 'url'}" autocomplete="off" autocapitalize="off" spellcheck="false" required autofocus placeholder="https://example.com/${isForWords ? ', or words' : nothing}">
</div>`
}

/** Nothing can be read yet. */
const firstForm = html`<form class="opening" action="/save" method="post">
${field(false)}
<div class="actions"><button type="submit" class="primary">Archive it now</button>
${scopeChoice('home-scope')}</div>
</form>`

/** What else an archive can begin with. */
const otherBeginnings = html`<section class="beginnings" aria-labelledby="beginnings"><h2 id="beginnings">Or begin with what you have</h2>
<ul>
<li><h3>Bookmarks, or a list</h3><form action="/save" method="post" enctype="multipart/form-data"><label for="list">Bookmarks of a browser, OPML, a feed, a sitemap, or one address a line</label>
<input id="list" name="list" type="file" required><input type="hidden" name="scope" value="page"><button type="submit">Archive them</button></form></li>
<li><h3>An archive</h3>${takingIn}</li>
<li><h3>A network</h3><p>Keep an archive with others. With their invitation:</p><p><code>polyhistor peer --invite … --join ADDRESS</code></p><p>Or begin one: <code>polyhistor network create NAME</code></p></li>
<li><h3>The demo</h3><p>Five peers and a little web on this machine, to see what it is like:</p><p><code>polyhistor demo</code></p></li>
</ul></section>`

function readingForm(isOwner: boolean, hasSearch: boolean): Html {
  return html`<form class="opening" action="/go" method="get">
${field(hasSearch)}
<div class="actions">
<button type="submit" class="primary">Find it</button>
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
    ({ url, capturedAtMs, hasThumbnail }) => html`
<li><a href="${versionPath(capturedAtMs, url)}">${hasThumbnail ? thumbnail(capturedAtMs, url) : nothing}${urlElement(url)}</a>
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
