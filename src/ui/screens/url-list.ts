// The pages of a site or under a prefix, with how often each was captured.

import { plural, printCount } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath, listPath, versionPath } from '../markup/links.ts'
import { urlElement } from '../markup/shown-url.ts'
import { thumbnail } from '../markup/thumbnail.ts'
import type { UrlEntry, UrlList, UrlListKind } from '../url-list.ts'

interface UrlListData {
  readonly title: string
  /** What the list is of, above the heading. */
  readonly eyebrow: string
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
<p>${countSentence(list, isFirstPage)} ${leftOut[kind]} <a href="${listPath(path, { isAll: !isAll })}">${isAll ? 'Leave them out' : 'Show everything'}</a></p>
${tools.length === 0 ? nothing : html`<ul class="tools">${tools.map((tool) => html`<li>${tool}</li>`)}</ul>`}
</header>
${entries.length === 0 ? nothing : table(entries, isAll)}
<p class="paging">
${isFirstPage ? nothing : html`<a class="button quiet" href="${listPath(path, { isAll })}">Back to the start</a>`}
${next === undefined ? nothing : html`<a class="button" rel="next" href="${listPath(path, { after: next, isAll })}">More addresses</a>`}
</p>`,
  }
}

const leftOut: Readonly<Record<UrlListKind, string>> = {
  pages: 'Images, styles and other files, redirects and errors are left out.',
  answers: 'Redirects and errors are left out.',
  all: 'Files, redirects and errors are among them.',
}

function countSentence({ entries, next }: UrlList, isFirstPage: boolean): Html {
  if (entries.length === 0 && next === undefined && isFirstPage)
    return html`Nothing of this kind is archived.`
  const count = plural(entries.length, 'address', 'addresses')
  if (next === undefined && isFirstPage) return html`<strong>${count}</strong>.`
  return html`<strong>${count}</strong> on this page${next === undefined ? '; this is the end of the list' : ''}.`
}

function table(entries: readonly UrlEntry[], isAll: boolean): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Addresses"><table class="list">
<thead><tr><th scope="col">Page</th><th scope="col" class="number">Captures</th><th scope="col">Last visit</th><th scope="col">First</th><th scope="col">Type</th>${isAll ? html`<th scope="col">Status</th>` : nothing}</tr></thead>
<tbody>${entries.map((entry) => row(entry, isAll))}</tbody>
</table></div>`
}

function row(entry: UrlEntry, isAll: boolean): Html {
  const { url, count, isMore, firstMs, lastMs, mime, status, title, hasThumbnail } = entry
  return html`<tr>
<th scope="row"><a href="${versionPath(lastMs, url)}">${hasThumbnail ? thumbnail(lastMs, url) : nothing}${title === undefined ? urlElement(url) : html`<bdi class="page-title">${title}</bdi>`}</a>${title === undefined ? nothing : html` ${urlElement(url)}`}</th>
<td class="number"><a href="${calendarPath(url)}" title="All versions">${printCount(count)}${isMore ? '+' : ''}</a></td>
<td><a href="${versionPath(lastMs, url)}">${momentElement(lastMs)}</a></td>
<td>${firstMs === lastMs ? '' : html`<a href="${versionPath(firstMs, url)}">${momentElement(firstMs)}</a>`}</td>
<td>${mime}</td>
${isAll ? html`<td>${status === 0 ? '–' : status}</td>` : nothing}
</tr>`
}
