// What went wrong, said to a reader: with the way on, where there is one.

import { tryParseUrl } from '../../record/url.ts'
import { type Html, html, nothing } from '../html.ts'
import type { Screen } from '../layout.ts'
import { prefixPath, sitePath } from '../links.ts'
import { briefUrl, readableUrl } from '../readable-url.ts'
import { urlElement } from '../shown-url.ts'
import { archiveNowForm } from './archive-now.ts'

export interface FailureData {
  readonly status: number
  readonly code: string
  readonly message: string
  /** The archived URL that was asked for, where the address had one. */
  readonly url: string | undefined
  readonly isOwner: boolean
}

export function failureScreen(data: FailureData): Screen {
  const { status, url, isOwner } = data
  const isMissing = status === 404 && url !== undefined
  return {
    title: isMissing ? `${briefUrl(url)} is not in the archive` : titleOf(status),
    name: 'failure',
    typed: url === undefined ? '' : readableUrl(url),
    body: isMissing ? missing(url, isOwner) : plain(data),
  }
}

function missing(url: string, isOwner: boolean): Html {
  const site = tryParseUrl(url)?.site
  return html`<section class="failure" aria-labelledby="failure">
<p class="eyebrow">Not in the archive</p>
<h1 id="failure">${urlElement(url)}</h1>
<p>Nobody has archived this address here yet.${isOwner && ' You can be the first: it is fetched at once, with the images, styles and scripts it needs.'}</p>
${archiveNowForm(url, isOwner)}
<ul class="tools">
<li><a href="${prefixPath(url)}">Archived pages below it</a></li>
${site === undefined ? nothing : html`<li><a href="${sitePath(site)}">Archived pages of ${site}</a></li>`}
</ul>
</section>`
}

function plain({ status, code, message, url }: FailureData): Html {
  return html`<section class="failure" aria-labelledby="failure">
<p class="eyebrow">${status} · ${code}</p>
<h1 id="failure">${titleOf(status)}</h1>
<p class="message">${message}</p>
${status === 451 && url !== undefined ? html`<p>${urlElement(url)}</p>` : nothing}
<p><a href="/">To the beginning</a></p>
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
