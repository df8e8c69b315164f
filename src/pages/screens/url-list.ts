// The pages of a site or under a prefix, with how often each was captured.

import { plural, printCount } from '../amounts.ts'
import { momentElement } from '../dates.ts'
import { type Html, html, nothing } from '../html.ts'
import type { Screen } from '../layout.ts'
import { calendarPath, listPath, versionPath } from '../links.ts'
import { urlElement } from '../shown-url.ts'
import type { UrlEntry, UrlList } from '../url-list.ts'

export interface UrlListData {
  readonly title: string
  /** What the list is of, above the heading. */
  readonly eyebrow: string
  readonly heading: Html
  readonly typed: string
  readonly list: UrlList
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
  path,
  isFirstPage,
  tools,
}: UrlListData): Screen {
  const { entries, next } = list
  return {
    title,
    name: 'urls',
    typed,
    body: html`<header class="about-url">
<p class="eyebrow">${eyebrow}</p>
<h1>${heading}</h1>
<p>${countSentence(list, isFirstPage)}</p>
${tools.length === 0 ? nothing : html`<ul class="tools">${tools.map((tool) => html`<li>${tool}</li>`)}</ul>`}
</header>
${entries.length === 0 ? nothing : table(entries)}
<p class="paging">
${isFirstPage ? nothing : html`<a class="button quiet" href="${path}">Back to the start</a>`}
${next === undefined ? nothing : html`<a class="button" rel="next" href="${listPath(path, next)}">More addresses</a>`}
</p>`,
  }
}

function countSentence({ entries, next }: UrlList, isFirstPage: boolean): Html {
  const count = plural(entries.length, 'address', 'addresses')
  if (next === undefined && isFirstPage) return html`<strong>${count}</strong>, in the order of the index.`
  return html`<strong>${count}</strong> on this page, in the order of the index${next === undefined ? '; this is the end of the list' : ''}.`
}

function table(entries: readonly UrlEntry[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Addresses"><table class="list">
<thead><tr><th scope="col">Address</th><th scope="col" class="number">Captures</th><th scope="col">First</th><th scope="col">Last</th><th scope="col">Type</th><th scope="col">Status</th></tr></thead>
<tbody>${entries.map(
    ({ url, count, isMore, firstMs, lastMs, mime, status }) => html`<tr>
<th scope="row"><a href="${calendarPath(url)}">${urlElement(url)}</a></th>
<td class="number">${printCount(count)}${isMore ? '+' : ''}</td>
<td><a href="${versionPath(firstMs, url)}">${momentElement(firstMs)}</a></td>
<td>${firstMs === lastMs ? '' : html`<a href="${versionPath(lastMs, url)}">${momentElement(lastMs)}</a>`}</td>
<td>${mime}</td>
<td>${status === 0 ? '–' : status}</td>
</tr>`,
  )}</tbody>
</table></div>`
}
