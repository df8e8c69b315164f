// What went wrong, said to a reader: with the way on, where there is one.

import { tryParseUrl } from '../../model/url/url.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath, prefixPath, sitePath } from '../markup/links.ts'
import { briefUrl, readableUrl } from '../markup/readable-url.ts'
import { urlElement } from '../markup/shown-url.ts'
import type { NearMiss } from '../near-misses.ts'
import { archiveNowForm } from './jobs/archive-now.ts'

interface FailureData {
  readonly status: number
  readonly code: string
  readonly message: string
  /** The archived URL that was asked for, where the address had one. */
  readonly url: string | undefined
  readonly isOwner: boolean
  /** What was typed, where that led here. */
  readonly typed?: string | undefined
  /** What may have been meant. */
  readonly nearMisses?: readonly NearMiss[]
  /** Something of its site is archived. */
  readonly isSiteKnown?: boolean
}

export function failureScreen(data: FailureData): Screen {
  const { status, url } = data
  const isMissing = status === 404 && url !== undefined
  return {
    title: isMissing ? `${briefUrl(url)} is not in the archive` : titleOf(status),
    name: 'failure',
    typed: data.typed ?? (url === undefined ? '' : readableUrl(url)),
    body: isMissing ? missing(url, data) : plain(data),
  }
}

function missing(url: string, { isOwner, isSiteKnown = false, nearMisses = [] }: FailureData): Html {
  const site = tryParseUrl(url)?.site
  return html`<section class="failure" aria-labelledby="failure">
<p class="eyebrow">Not in the archive</p>
<h1 id="failure">${urlElement(url)}</h1>
<p>Nobody has archived this address here yet.</p>
${nearMisses.length === 0 ? nothing : suggestions(nearMisses)}
${isOwner ? html`<p>You can be the first: it is fetched at once, with the images, styles and scripts it needs.</p>` : nothing}
${archiveNowForm(url, isOwner)}
<ul class="tools">
${
  site === undefined || !isSiteKnown
    ? nothing
    : html`<li><a href="${prefixPath(url)}">Archived pages below it</a></li>
<li><a href="${sitePath(site)}">Archived pages of ${site}</a></li>`
}
<li><a href="${url}" rel="external noopener noreferrer" target="_blank">Live page</a></li>
</ul>
</section>`
}

function suggestions(nearMisses: readonly NearMiss[]): Html {
  return html`<section class="suggestions" aria-labelledby="meant"><h2 id="meant">Did you mean</h2>
<ul class="recent">${nearMisses.map(({ url, lastMs }) => html`<li><a href="${calendarPath(url)}">${urlElement(url)}</a>${lastMs === undefined ? nothing : html` <span class="note">last archived ${momentElement(lastMs)}</span>`}</li>`)}</ul></section>`
}

function plain({ status, code, message, url }: FailureData): Html {
  return html`<section class="failure" aria-labelledby="failure">
<h1 id="failure">${titleOf(status)}</h1>
<p class="message">${message}</p>
${status === 451 && url !== undefined ? html`<p>${urlElement(url)}</p>` : nothing}
<p><a href="/">To the beginning</a></p>
<p class="note">For whoever looks after this archive: <code>${code}</code>, ${status}.</p>
</section>`
}

const titles: Readonly<Record<number, string>> = {
  400: 'This address does not make sense here',
  401: 'Only the owner may do that',
  403: 'Only the owner may do that',
  404: 'There is nothing here',
  410: 'This link is spent',
  421: 'Not under this name',
  451: 'Taken down',
  503: 'Not just now',
  507: 'The disk is full',
}

function titleOf(status: number): string {
  return titles[status] ?? (status >= 500 ? 'Something went wrong' : 'That did not work')
}
