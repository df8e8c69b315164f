// Home: a field to type a URL into, to read it or to archive it now; and what this archive holds.

import type { ArchiveTotals, RecentCapture } from '../archive.ts'
import { printBytes } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath, versionPath } from '../markup/links.ts'
import { urlElement } from '../markup/shown-url.ts'
import { thumbnail } from '../markup/thumbnail.ts'
import type { SiteList } from '../site-list.ts'
import { homeTexts } from '../texts/home.ts'
import { sharedTexts } from '../texts/shared.ts'
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
    title: homeTexts.title,
    name: 'home',
    masthead: 'no-field',
    ...(isEmpty && isOwner ? { script: uploadScript } : {}),
    body: html`<section class="hero" aria-labelledby="hero">
<h1 id="hero">${homeTexts.hero}</h1>
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

function leadOf(isEmpty: boolean, isOwner: boolean, hasSearch: boolean): Html {
  if (isEmpty) {
    return isOwner ? homeTexts.emptyOwner : homeTexts.empty
  }
  if (hasSearch) return isOwner ? homeTexts.leadSearchOwner : homeTexts.leadSearch
  return isOwner ? homeTexts.leadOwner : homeTexts.lead
}

/** Addresses alone, or words to look for, too. */
function field(isForWords: boolean): Html {
  const label = isForWords ? homeTexts.addressOrWords : homeTexts.address
  return html`<div class="field">
<label for="url">${label}</label>
<input id="url" name="url" type="text" inputmode="${isForWords ? 'search' : 'url'}" autocomplete="off" autocapitalize="off" spellcheck="false" required autofocus placeholder="https://example.com/${isForWords ? homeTexts.orWords : nothing}">
</div>`
}

/** Nothing can be read yet. */
const firstForm = html`<form class="opening" action="/save" method="post">
${field(false)}
<div class="actions"><button type="submit" class="primary">${sharedTexts.archiveItNow}</button>
${scopeChoice('home-scope')}</div>
</form>`

/** What else an archive can begin with. */
const otherBeginnings = html`<section class="beginnings" aria-labelledby="beginnings"><h2 id="beginnings">${homeTexts.beginnings}</h2>
<ul>
<li><h3>${homeTexts.bookmarks}</h3><form action="/save" method="post" enctype="multipart/form-data"><label for="list">${homeTexts.bookmarksLabel}</label>
<input id="list" name="list" type="file" required><input type="hidden" name="scope" value="page"><button type="submit">${homeTexts.archiveThem}</button></form></li>
<li><h3>${homeTexts.anArchive}</h3>${takingIn}</li>
<li><h3>${homeTexts.aNetwork}</h3><p>${homeTexts.keepWithOthers}</p><p><code>polyhistor peer --invite … --join ADDRESS</code></p><p>${homeTexts.beginNetwork} <code>polyhistor network create NAME</code></p></li>
<li><h3>${homeTexts.demo}</h3><p>${homeTexts.demoWords}</p><p><code>polyhistor demo</code></p></li>
</ul></section>`

function readingForm(isOwner: boolean, hasSearch: boolean): Html {
  return html`<form class="opening" action="/go" method="get">
${field(hasSearch)}
<div class="actions">
<button type="submit" class="primary">${homeTexts.findIt}</button>
${
  isOwner
    ? html`<button type="submit" formaction="/save" formmethod="post">${sharedTexts.archiveItNow}</button>
${scopeChoice('home-scope')}`
    : nothing
}
</div>
</form>`
}

/** With others, what lies here is a part of the archive. */
function totalsSentence({ captures, bytes }: ArchiveTotals, isOfPeer: boolean): Html {
  return html`${(isOfPeer ? homeTexts.totalsOfPeer : homeTexts.totals)({
    captures: html`<strong>${sharedTexts.captures({ count: captures })}</strong>`,
    original: printBytes(bytes.original),
    onDisk: printBytes(bytes.onDisk),
  })} <a href="/status">${homeTexts.moreFigures}</a>`
}

function recentSection(recent: readonly RecentCapture[], isOfPeer: boolean): Html {
  if (recent.length === 0) return nothing
  return html`<section aria-labelledby="recent">
<h2 id="recent">${isOfPeer ? homeTexts.keptLastByPeer : homeTexts.keptLast}</h2>
<ul class="recent">${recent.map(
    ({ url, capturedAtMs, hasThumbnail }) => html`
<li><a href="${versionPath(capturedAtMs, url)}">${hasThumbnail ? thumbnail(capturedAtMs, url) : nothing}${urlElement(url)}</a>
<span class="note">${momentElement(capturedAtMs)} · <a href="${calendarPath(url)}">${sharedTexts.allVersions}</a></span></li>`,
  )}
</ul>
</section>`
}

const explanation = html`<section class="about" aria-labelledby="about">
<h2 id="about">${homeTexts.how}</h2>
<dl class="how">
<div><dt>${homeTexts.everyVersion}</dt>
<dd>${homeTexts.everyVersionWords}</dd></div>
<div><dt>${homeTexts.asItWas}</dt>
<dd>${homeTexts.asItWasWords}</dd></div>
<div><dt>${homeTexts.sideBySide}</dt>
<dd>${homeTexts.sideBySideWords}</dd></div>
<div><dt>${homeTexts.forPrograms}</dt>
<dd>${homeTexts.forProgramsWords({ interfaces: (words) => html`<a href="/interfaces">${words}</a>` })}</dd></div>
</dl>
</section>`
