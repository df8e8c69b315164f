// The sites of the archive: a list to browse and to look through, and its first few for the home page.

import { printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { sitePath, sitesPath } from '../../markup/links.ts'
import type { SiteEntry, SiteList } from '../../site-list.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { sitesTexts } from '../../texts/sites.ts'

interface SitesData {
  readonly list: SiteList
  readonly containing: string
  readonly isFirstPage: boolean
}

export function sitesScreen({ list, containing, isFirstPage }: SitesData): Screen {
  const { entries, unreadable, next, peers } = list
  return {
    title: sitesTexts.title,
    name: 'sites',
    current: 'sites',
    body: html`<header class="about-url"><h1>${sharedTexts.sites}</h1>
<p>${countSentence(list, containing)} <a href="/rank">${sitesTexts.mostImportant}</a></p>
${silentNote(peers)}
<form class="narrow-search" action="/sites" role="search" aria-label="${sharedTexts.sites}"><label for="q">${sitesTexts.find}</label>
<input id="q" name="q" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value="${containing}"><button type="submit">${sitesTexts.findButton}</button></form>
</header>
${entries.length === 0 ? nothing : table(entries)}
${unreadable === 0 ? nothing : html`<p class="note">${sitesTexts.unreadable({ count: unreadable })}</p>`}
<p class="paging">
${isFirstPage ? nothing : html`<a class="button quiet" href="${sitesPath(containing)}">${sharedTexts.backToStart}</a>`}
${next === undefined ? nothing : html`<a class="button" rel="next" href="${sitesPath(containing, next)}">${sitesTexts.moreSites}</a>`}
</p>`,
  }
}

function countSentence({ total, isMore }: SiteList, containing: string): Html {
  const more = isMore ? html` ${sitesTexts.tooMany}` : nothing
  if (containing !== '')
    return html`${sitesTexts.named({ sites: html`<strong>${sitesTexts.sites({ count: total })}</strong>`, part: html`<bdi>${containing}</bdi>` })}${more}`
  if (total === 0) return sitesTexts.nothingYet
  return html`${sitesTexts.has({ sites: html`<strong>${sitesTexts.sites({ count: total })}</strong>` })}${more}`
}

function table(entries: readonly SiteEntry[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${sharedTexts.sites}"><table class="list">
<thead><tr><th scope="col">${sitesTexts.site}</th><th scope="col" class="number">${sitesTexts.captures}</th><th scope="col">${sitesTexts.lastVisit}</th></tr></thead>
<tbody>${entries.map(
    (entry) => html`<tr>
<th scope="row">${titled(entry)}</th>
<td class="number">${entry.count === undefined ? '–' : html`${entry.isMore ? sitesTexts.moreThan : ''}${printCount(entry.count)}`}</td>
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
  return html`${momentElement(lastMs)}${isMore ? sitesTexts.orLater : ''}`
}

function silentNote(peers: SiteList['peers']): Html {
  if (peers === undefined || peers.answered === peers.asked) return nothing
  return html`<p class="note" role="status">${sitesTexts.silent({ count: peers.asked, silent: peers.asked - peers.answered })}</p>`
}

function amountNote(entry: SiteEntry): Html {
  const { count, isMore, lastMs } = entry
  if (count === undefined) return sitesTexts.keptBySilent
  const visit =
    lastMs === undefined ? nothing : html` · ${sitesTexts.visited({ when: lastVisit(lastMs, entry) })}`
  return html`${isMore ? sitesTexts.moreThan : ''}${sharedTexts.captures({ count })}${visit}`
}

/** Of the home page. */
export function sitesSection({ entries, total, isMore, peers }: SiteList): Html {
  if (entries.length === 0) return nothing
  return html`<section aria-labelledby="sites">
<h2 id="sites">${sharedTexts.sites}</h2>
<ul class="recent">${entries.map(
    (entry) => html`
<li>${titled(entry)}
<span class="note">${amountNote(entry)}</span></li>`,
  )}
</ul>
${silentNote(peers)}
${total > entries.length ? html`<p><a href="/sites">${(isMore ? sitesTexts.moreThanAll : sitesTexts.all)({ number: printCount(total) })}</a></p>` : nothing}
</section>`
}
