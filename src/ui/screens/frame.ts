// The replay frame: a slim bar of ours, and below it the archived page in a sandbox on another host, whose scripts
// cannot reach the bar.

import { isShownInFrames } from '../../formats/markup/shown-types.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { Version } from '../archive.ts'
import { printClock, printMoment, printShortDay, timeElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import { brandMark, type Screen } from '../markup/layout.ts'
import {
  calendarPath,
  comparePath,
  framedPath,
  linksPath,
  originalPath,
  pageDownloadPath,
  proofPath,
  versionPath,
  watchThisPath,
} from '../markup/links.ts'
import { briefUrl, readableUrl } from '../markup/readable-url.ts'
import { barTexts } from '../texts/bar.ts'
import { frameTexts } from '../texts/frame.ts'
import { sharedTexts } from '../texts/shared.ts'
import type { Timeline } from '../timeline.ts'
import { timelineDrawing } from './versions/timeline-drawing.ts'

interface FrameData {
  readonly url: Url
  readonly version: Version
  readonly previous: Version | undefined
  readonly next: Version | undefined
  /** The last version before this one that was different. */
  readonly comparable: Version | undefined
  readonly timeline: Timeline | undefined
  readonly replayOrigin: string
  /** Who may have what is missing fetched. */
  readonly isOwner: boolean
}

/** No same origin, no top navigation, no windows: the page can be seen and used, and that is all. What replay sends with the
 * page says the same, and allows downloads only to its own page that offers a file. */
export const sandbox =
  'allow-scripts allow-forms allow-modals allow-pointer-lock allow-presentation allow-downloads'

export function frameScreen(data: FrameData): Screen {
  const { version, replayOrigin } = data
  const { url, capturedAtMs } = version
  return {
    title: html`${briefUrl(url)}, ${printShortDay(capturedAtMs)}`,
    name: 'frame',
    script: 'frame.ts',
    earlyScript: 'early.ts',
    masthead: 'none',
    body: html`${bar(data)}
<main id="main" class="stage" tabindex="-1">
<iframe id="replay" title="${frameTexts.page}" src="${replayOrigin}${framedPath(capturedAtMs, url)}" sandbox="${sandbox}" allow="fullscreen" referrerpolicy="no-referrer"></iframe>
</main>`,
  }
}

function bar(data: FrameData): Html {
  const { version, previous, next, comparable } = data
  const { url, capturedAtMs } = version
  return html`<header class="bar" id="bar" data-url="${url}" data-at-ms="${capturedAtMs}">
<a class="brand" href="/" aria-label="${frameTexts.home}">${brandMark}</a>
<h1 class="when"><span class="unseen">${frameTexts.archivedOn}</span> ${timeElement(capturedAtMs, printShortDay(capturedAtMs))} <small>${printClock(capturedAtMs)} UTC</small></h1>
<nav class="steps" aria-label="${frameTexts.versions}">
${step(previous, frameTexts.previous, 'prev')}
${data.timeline === undefined ? nothing : timelineDrawing(data.timeline, url)}
${step(next, frameTexts.next, 'next')}
</nav>
<input type="checkbox" id="more" class="toggle" aria-label="${frameTexts.more}"><label for="more" class="only-narrow">${frameTexts.more}</label>
<div class="bar-more">
<form class="address" action="/go" role="search">
<label class="unseen" for="address">${frameTexts.address}</label>
<input id="address" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required value="${readableUrl(url)}">
<input type="hidden" name="at" value="${printTimestamp(capturedAtMs)}">
<button type="submit" class="unseen">${frameTexts.readIt}</button>
</form>
<ul class="bar-tools">
<li><a href="${calendarPath(url)}">${frameTexts.allVersions}</a></li>
<li><a href="${linksPath('to', url)}" title="${sharedTexts.whatLinksHere}">${frameTexts.linksHere}</a></li>
${data.isOwner ? html`<li><a href="${watchThisPath(url)}" title="${frameTexts.watchTitle}">${frameTexts.watch}</a></li>` : nothing}
${comparable === undefined ? nothing : html`<li><a href="${comparePath(comparable.capturedAtMs, capturedAtMs, url)}">${frameTexts.whatChanged}</a></li>`}
${isShownInFrames(version.mime) ? nothing : html`<li><a href="${originalPath(capturedAtMs, url)}" download>${frameTexts.downloadFile}</a></li>`}
<li><a href="${pageDownloadPath(capturedAtMs, url)}" download title="${frameTexts.downloadTitle}">${frameTexts.download}</a></li>
<li><a href="${url}" rel="external noopener noreferrer" target="_blank" title="${frameTexts.liveTitle}">${frameTexts.live}</a></li>
<li data-scripted hidden><button type="button" class="quiet" id="copy" data-link="${versionPath(capturedAtMs, url)}" title="${frameTexts.copyTitle}">${barTexts.copy}</button></li>
<li data-scripted hidden>${whoCaptured(version)}</li>
</ul>
</div>
<input type="checkbox" id="fold" class="toggle"><label for="fold" title="${frameTexts.foldTitle}"><span class="unseen">${frameTexts.fold}</span></label>
<div class="remarks">
${missingParts(data.isOwner)}
${captureAccount}
<p class="notice" role="status"><span>${statusNotice(version)}</span> <span id="notice"></span></p>
</div>
</header>`
}

/** Filled in by a script, once somebody asks. */
function whoCaptured({ url, capturedAtMs }: Version): Html {
  return html`<details class="captured" id="captured"><summary title="${frameTexts.capturedTitle}">${frameTexts.captured}</summary>
<div class="panel"><p data-value="captured-by" role="status"></p>
<p>${frameTexts.proof({ download: (words) => html`<a href="${proofPath(capturedAtMs, url)}" download="proof.json">${words}</a>` })}</p></div></details>`
}

/** Filled in by a script, by what the archived page tells of its parts. */
function missingParts(isOwner: boolean): Html {
  return html`<details class="missing" id="missing" hidden>
<summary><span data-value="missing-count"></span></summary>
<div class="panel">
<p>${frameTexts.missingParts}</p>
<ul data-value="missing-list"></ul>
<p class="note" data-value="missing-more"></p>
${
  isOwner
    ? html`<form action="/save" method="post" data-value="missing-form"><input type="hidden" name="scope" value="page"><button type="submit" class="primary">${frameTexts.fetchThem}</button></form>
<p class="note">${frameTexts.fetchNote}</p>`
    : html`<p class="note">${frameTexts.ownerCan}</p>`
}
</div>
</details>`
}

/** Filled in by a script, by what a browser's capture told of the page's parts. */
const captureAccount = html`<details class="missing account" id="account" hidden>
<summary><span data-value="account-summary"></span></summary>
<div class="panel">
<p data-value="account-counts"></p>
<ul data-value="account-list"></ul>
<p class="note" data-value="account-more"></p>
</div>
</details>`

function step(version: Version | undefined, name: Html, relation: 'prev' | 'next'): Html {
  const arrow = relation === 'prev' ? '←' : '→'
  if (version === undefined) return html`<span class="step" aria-hidden="true">${arrow}</span>`
  const { url, capturedAtMs } = version
  const spoken = html`${name}: ${printMoment(capturedAtMs)}`
  return html`<a class="step" rel="${relation}" href="${versionPath(capturedAtMs, url)}" aria-label="${spoken}" title="${spoken}">${arrow}</a>`
}

function statusNotice({ status }: Version): Html {
  if (status < 400) return nothing
  return frameTexts.answered({
    status: String(status),
    wide: (words) => html`<span class="only-wide">${words}</span>`,
  })
}
