// What went wrong, said to a reader: with the way on, where there is one.

import { tryParseUrl } from '../../model/url/url.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, inEnglish, nothing, spoken } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { calendarPath, prefixPath, sitePath } from '../markup/links.ts'
import { briefUrl, readableUrl } from '../markup/readable-url.ts'
import { urlElement } from '../markup/shown-url.ts'
import type { NearMiss } from '../near-misses.ts'
import { failureTexts } from '../texts/failure.ts'
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
    title: isMissing ? failureTexts.notInArchive({ url: briefUrl(url) }) : titleOf(status),
    name: 'failure',
    typed: data.typed ?? (url === undefined ? '' : readableUrl(url)),
    body: isMissing ? missing(url, data) : plain(data),
  }
}

function missing(url: string, { isOwner, isSiteKnown = false, nearMisses = [] }: FailureData): Html {
  const site = tryParseUrl(url)?.site
  return html`<section class="failure" aria-labelledby="failure">
<p class="eyebrow">${failureTexts.eyebrow}</p>
<h1 id="failure">${urlElement(url)}</h1>
<p>${failureTexts.nobodyYet}</p>
${nearMisses.length === 0 ? nothing : suggestions(nearMisses)}
${isOwner ? html`<p>${failureTexts.beFirst}</p>` : nothing}
${archiveNowForm(url, isOwner)}
<ul class="tools">
${
  site === undefined || !isSiteKnown
    ? nothing
    : html`<li><a href="${prefixPath(url)}">${failureTexts.pagesBelow}</a></li>
<li><a href="${sitePath(site)}">${failureTexts.pagesOf({ site })}</a></li>`
}
<li><a href="${url}" rel="external noopener noreferrer" target="_blank">${failureTexts.livePage}</a></li>
</ul>
</section>`
}

function suggestions(nearMisses: readonly NearMiss[]): Html {
  return html`<section class="suggestions" aria-labelledby="meant"><h2 id="meant">${failureTexts.didYouMean}</h2>
<ul class="recent">${nearMisses.map(({ url, lastMs }) => html`<li><a href="${calendarPath(url)}">${urlElement(url)}</a>${lastMs === undefined ? nothing : html` <span class="note">${failureTexts.lastArchived({ when: momentElement(lastMs) })}</span>`}</li>`)}</ul></section>`
}

function plain({ status, code, message, url }: FailureData): Html {
  return html`<section class="failure" aria-labelledby="failure">
<h1 id="failure">${titleOf(status)}</h1>
<p class="message">${failureMessage(code, message)}</p>
${status === 451 && url !== undefined ? html`<p>${urlElement(url)}</p>` : nothing}
<p><a href="/">${failureTexts.toBeginning}</a></p>
<p class="note">${failureTexts.forKeeper({ code: html`<code>${code}</code>`, status: String(status) })}</p>
</section>`
}

const titles: Readonly<Record<number, Html>> = {
  400: failureTexts.senseless,
  401: failureTexts.ownerOnly,
  403: failureTexts.ownerOnly,
  404: failureTexts.nothingHere,
  410: failureTexts.spent,
  421: failureTexts.otherName,
  451: failureTexts.takenDown,
  503: failureTexts.notNow,
  507: failureTexts.diskFull,
}

function titleOf(status: number): Html {
  return titles[status] ?? (status >= 500 ? failureTexts.wentWrong : failureTexts.didNotWork)
}

/** Errors are told in English by all layers; those that readers meet most have words of their own. */
const messages: Readonly<Record<string, Html>> = {
  'not-archived': failureTexts.codeNotArchived,
  'store-taken-down': failureTexts.codeTakenDown,
  'owner-link-spent': failureTexts.codeLinkSpent,
  'docs-page-missing': failureTexts.codeNoDocs,
  'job-unknown': failureTexts.codeNoJob,
  'too-many-comparisons': failureTexts.codeManyComparisons,
  'taken-down': failureTexts.codeTakenDown,
  'replay-taken-down': failureTexts.codeTakenDown,
  'replay-not-archived': failureTexts.codeNotArchived,
  'url-empty': failureTexts.codeUrlEmpty,
  'url-malformed': failureTexts.codeUrlMalformed,
  'url-unsupported-scheme': failureTexts.codeUrlScheme,
  'url-bad-host': failureTexts.codeUrlHost,
  'url-too-long': failureTexts.codeUrlLong,
  'replay-url-too-long': failureTexts.codeUrlLong,
  'replay-bad-url': failureTexts.codeUrlMalformed,
  'replay-bad-address': failureTexts.codeReplayAddress,
  'replay-bad-time': failureTexts.codeReplayTime,
  'timestamp-malformed': failureTexts.codeReplayTime,
  'request-malformed': failureTexts.codeRequest,
  'replay-damaged': failureTexts.codeReplayDamaged,
  'replay-not-here': failureTexts.codeNotHere,
  'reading-unavailable': failureTexts.codeUnavailable,
  'reading-damaged': failureTexts.codeReplayDamaged,
  'store-content-damaged': failureTexts.codeReplayDamaged,
  'route-unknown': failureTexts.codeRouteUnknown,
  'token-missing': failureTexts.codeTokenMissing,
  'token-wrong': failureTexts.codeTokenWrong,
  'origin-not-ours': failureTexts.codeForeignPage,
  'host-not-ours': failureTexts.codeHostUnknown,
  'search-off': failureTexts.codeSearchOff,
  'store-no-room': failureTexts.codeDiskFull,
  'disk-full': failureTexts.codeDiskFull,
}

function failureMessage(code: string, message: string): Html {
  return spoken(({ language }) => {
    const known = Object.hasOwn(messages, code) ? messages[code] : undefined
    return language === 'en' || known === undefined ? inEnglish(message) : known
  })
}
