// The sites of the archive: a list to browse and to look through, and its first few for the home page.

import { plural, printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { sitePath, sitesPath } from '../../markup/links.ts'
import type { SiteEntry, SiteList } from '../../site-list.ts'

interface SitesData {
  readonly list: SiteList
  readonly containing: string
  readonly isFirstPage: boolean
}

export function sitesScreen({ list, containing, isFirstPage }: SitesData): Screen {
  const { entries, unreadable, next, peers } = list
  return {
    title: 'Sites of this archive',
    name: 'sites',
    current: 'sites',
    body: html`<header class="about-url"><h1>Sites</h1>
<p>${countSentence(list, containing)} <a href="/rank">The most important ones</a></p>
${silentNote(peers)}
<form class="narrow-search" action="/sites" role="search" aria-label="Sites"><label for="q">Sites with this in their name</label>
<input id="q" name="q" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value="${containing}"><button type="submit">Find</button></form>
</header>
${entries.length === 0 ? nothing : table(entries)}
${unreadable === 0 ? nothing : html`<p class="note">Other peers named ${plural(unreadable, 'more site')}, of which nothing can be read from here yet.</p>`}
<p class="paging">
${isFirstPage ? nothing : html`<a class="button quiet" href="${sitesPath(containing)}">Back to the start</a>`}
${next === undefined ? nothing : html`<a class="button" rel="next" href="${sitesPath(containing, next)}">More sites</a>`}
</p>`,
  }
}

function countSentence({ total, isMore }: SiteList, containing: string): Html {
  const more = isMore
    ? html` The archive has more than can be listed: type an address above to find others.`
    : nothing
  if (containing !== '')
    return html`<strong>${plural(total, 'site')}</strong> with “<bdi>${containing}</bdi>” in the name.${more}`
  if (total === 0) return html`Nothing is archived yet.`
  return html`This archive has pages of <strong>${plural(total, 'site')}</strong>.${more}`
}

function table(entries: readonly SiteEntry[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Sites"><table class="list">
<thead><tr><th scope="col">Site</th><th scope="col" class="number">Captures</th><th scope="col">Last visit</th></tr></thead>
<tbody>${entries.map(
    (entry) => html`<tr>
<th scope="row">${titled(entry)}</th>
<td class="number">${entry.count === undefined ? '–' : html`${entry.isMore ? 'more than ' : ''}${printCount(entry.count)}`}</td>
<td>${entry.lastMs === undefined ? '–' : lastVisit(entry.lastMs, entry)}</td>
</tr>`,
  )}</tbody>
</table></div>`
}

function titled({ site, title }: SiteEntry): Html {
  return html`<a href="${sitePath(site)}"><bdi class="url"><span class="host">${site}</span></bdi></a>${title === undefined ? nothing : html` <bdi class="page-title">${title}</bdi>`}`
}

/** Only a part was looked at where there is more. */
function lastVisit(lastMs: number, { isMore }: SiteEntry): Html {
  return html`${momentElement(lastMs)}${isMore ? ' or later' : ''}`
}

function silentNote(peers: SiteList['peers']): Html {
  if (peers === undefined || peers.answered === peers.asked) return nothing
  return html`<p class="note" role="status">${peers.asked - peers.answered} of ${plural(peers.asked, 'other peer')} did not answer: there may be more sites.</p>`
}

function amountNote(entry: SiteEntry): Html {
  const { count, isMore, lastMs } = entry
  if (count === undefined) return html`kept by peers that do not answer now`
  const visit = lastMs === undefined ? nothing : html` · last visit ${lastVisit(lastMs, entry)}`
  return html`${isMore ? 'more than ' : ''}${plural(count, 'capture')}${visit}`
}

/** Of the home page. */
export function sitesSection({ entries, total, isMore, peers }: SiteList): Html {
  if (entries.length === 0) return nothing
  return html`<section aria-labelledby="sites">
<h2 id="sites">Sites</h2>
<ul class="recent">${entries.map(
    (entry) => html`
<li>${titled(entry)}
<span class="note">${amountNote(entry)}</span></li>`,
  )}
</ul>
${silentNote(peers)}
${total > entries.length ? html`<p><a href="/sites">${isMore ? 'More than' : 'All'} ${printCount(total)} sites</a></p>` : nothing}
</section>`
}
