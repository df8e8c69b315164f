// The pages of a site or under a prefix, with how often each was captured.

import { printCount } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath, listPath, versionPath } from '../markup/links.ts'
import { urlElement } from '../markup/shown-url.ts'
import { thumbnail } from '../markup/thumbnail.ts'
import { sharedTexts } from '../texts/shared.ts'
import { sitesTexts } from '../texts/sites.ts'
import type { UrlEntry, UrlList, UrlListKind } from '../url-list.ts'

interface UrlListData {
  readonly title: Html
  /** What the list is of, above the heading. */
  readonly eyebrow: Html
  readonly heading: Html
  readonly typed: string
  readonly list: UrlList
  readonly kind: UrlListKind
  /** The address of this list, without a cursor. */
  readonly path: string
  readonly isFirstPage: boolean
  /** Ways on from here. */
  readonly tools: readonly Html[]
}

export function urlListScreen({
  title,
  eyebrow,
  heading,
  typed,
  list,
  kind,
  path,
  isFirstPage,
  tools,
}: UrlListData): Screen {
  const { entries, next } = list
  const isAll = kind === 'all'
  return {
    title,
    name: 'urls',
    typed,
    body: html`<header class="about-url">
<p class="eyebrow">${eyebrow}</p>
<h1>${heading}</h1>
<p>${countSentence(list, isFirstPage)} ${leftOut[kind]} <a href="${listPath(path, { isAll: !isAll })}">${isAll ? sitesTexts.leaveOut : sitesTexts.showAll}</a></p>
${tools.length === 0 ? nothing : html`<ul class="tools">${tools.map((tool) => html`<li>${tool}</li>`)}</ul>`}
</header>
${entries.length === 0 ? nothing : table(entries, isAll)}
<p class="paging">
${isFirstPage ? nothing : html`<a class="button quiet" href="${listPath(path, { isAll })}">${sharedTexts.backToStart}</a>`}
${next === undefined ? nothing : html`<a class="button" rel="next" href="${listPath(path, { after: next, isAll })}">${sitesTexts.moreAddresses}</a>`}
</p>`,
  }
}

const leftOut: Readonly<Record<UrlListKind, Html>> = {
  pages: sitesTexts.leftOutPages,
  answers: sitesTexts.leftOutAnswers,
  all: sitesTexts.leftOutNone,
}

function countSentence({ entries, next }: UrlList, isFirstPage: boolean): Html {
  if (entries.length === 0 && next === undefined && isFirstPage) return sitesTexts.nothingOfKind
  const count = sitesTexts.addressCount({ count: entries.length })
  if (next === undefined && isFirstPage) return html`<strong>${count}</strong>.`
  return html`${(next === undefined ? sitesTexts.onLastPage : sitesTexts.onPage)({ addresses: html`<strong>${count}</strong>` })}`
}

function table(entries: readonly UrlEntry[], isAll: boolean): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${sitesTexts.addresses}"><table class="list">
<thead><tr><th scope="col">${sitesTexts.page}</th><th scope="col" class="number">${sitesTexts.captures}</th><th scope="col">${sitesTexts.lastVisit}</th><th scope="col">${sitesTexts.first}</th><th scope="col">${sitesTexts.type}</th>${isAll ? html`<th scope="col">${sitesTexts.status}</th>` : nothing}</tr></thead>
<tbody>${entries.map((entry) => row(entry, isAll))}</tbody>
</table></div>`
}

function row(entry: UrlEntry, isAll: boolean): Html {
  const { url, count, isMore, firstMs, lastMs, mime, status, title, hasThumbnail } = entry
  return html`<tr>
<th scope="row"><a href="${versionPath(lastMs, url)}">${hasThumbnail ? thumbnail(lastMs, url) : nothing}${title === undefined ? urlElement(url) : html`<bdi class="page-title">${title}</bdi>`}</a>${title === undefined ? nothing : html` ${urlElement(url)}`}</th>
<td class="number"><a href="${calendarPath(url)}" title="${sharedTexts.allVersionsButton}">${printCount(count)}${isMore ? '+' : ''}</a></td>
<td><a href="${versionPath(lastMs, url)}">${momentElement(lastMs)}</a></td>
<td>${firstMs === lastMs ? '' : html`<a href="${versionPath(firstMs, url)}">${momentElement(firstMs)}</a>`}</td>
<td>${mime}</td>
${isAll ? html`<td>${status === 0 ? '–' : status}</td>` : nothing}
</tr>`
}
