// The replay frame: a slim bar of ours, and below it the archived page in a sandbox on another host, whose scripts
// cannot reach the bar.

import { isShownInFrames } from '../../formats/markup/shown-types.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { Version } from '../archive.ts'
import { printClock, printShortDay, timeElement } from '../markup/dates.ts'
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
    title: `${briefUrl(url)}, ${printShortDay(capturedAtMs)}`,
    name: 'frame',
    script: 'frame.ts',
    earlyScript: 'early.ts',
    masthead: 'none',
    body: html`${bar(data)}
<main id="main" class="stage" tabindex="-1">
<iframe id="replay" title="The archived page" src="${replayOrigin}${framedPath(capturedAtMs, url)}" sandbox="${sandbox}" allow="fullscreen" referrerpolicy="no-referrer"></iframe>
</main>`,
  }
}

function bar(data: FrameData): Html {
  const { version, previous, next, comparable } = data
  const { url, capturedAtMs } = version
  return html`<header class="bar" id="bar" data-url="${url}" data-at-ms="${capturedAtMs}">
<a class="brand" href="/" aria-label="Polyhistor: home">${brandMark}</a>
<h1 class="when"><span class="unseen">Archived on</span> ${timeElement(capturedAtMs, printShortDay(capturedAtMs))} <small>${printClock(capturedAtMs)} UTC</small></h1>
<nav class="steps" aria-label="Versions">
${step(previous, 'Previous version', 'prev')}
${data.timeline === undefined ? nothing : timelineDrawing(data.timeline, url)}
${step(next, 'Next version', 'next')}
</nav>
<input type="checkbox" id="more" class="toggle" aria-label="More"><label for="more" class="only-narrow">More</label>
<div class="bar-more">
<form class="address" action="/go" role="search">
<label class="unseen" for="address">Address of a page, at this time</label>
<input id="address" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required value="${readableUrl(url)}">
<input type="hidden" name="at" value="${printTimestamp(capturedAtMs)}">
<button type="submit" class="unseen">Read it</button>
</form>
<ul class="bar-tools">
<li><a href="${calendarPath(url)}">All versions</a></li>
<li><a href="${linksPath('to', url)}" title="What links here">Links here</a></li>
${data.isOwner ? html`<li><a href="${watchThisPath(url)}" title="Watch this page: be told when it changes">Watch</a></li>` : nothing}
${comparable === undefined ? nothing : html`<li><a href="${comparePath(comparable.capturedAtMs, capturedAtMs, url)}">What changed</a></li>`}
${isShownInFrames(version.mime) ? nothing : html`<li><a href="${originalPath(capturedAtMs, url)}" download>Download file</a></li>`}
<li><a href="${pageDownloadPath(capturedAtMs, url)}" download title="Download this page with everything it needs, as a WACZ file">Download</a></li>
<li><a href="${url}" rel="external noopener noreferrer" target="_blank" title="The page as it is on the web today, in a new tab">Live page</a></li>
<li data-scripted hidden><button type="button" class="quiet" id="copy" data-link="${versionPath(capturedAtMs, url)}" title="Copy the address of this version">Copy link</button></li>
<li data-scripted hidden>${whoCaptured(version)}</li>
</ul>
</div>
<input type="checkbox" id="fold" class="toggle"><label for="fold" title="Fold the bar, or unfold it"><span class="unseen">Fold the bar</span></label>
<div class="remarks">
${missingParts(data.isOwner)}
${captureAccount}
<p class="notice" role="status"><span>${statusNotice(version)}</span> <span id="notice"></span></p>
</div>
</header>`
}

/** Filled in by a script, once somebody asks. */
function whoCaptured({ url, capturedAtMs }: Version): Html {
  return html`<details class="captured" id="captured"><summary title="Who captured it, and how that is proven">Captured by</summary>
<div class="panel"><p data-value="captured-by" role="status"></p>
<p><a href="${proofPath(capturedAtMs, url)}" download="proof.json">Download the proof</a>, which anybody can check.</p></div></details>`
}

/** Filled in by a script, by what the archived page tells of its parts. */
function missingParts(isOwner: boolean): Html {
  return html`<details class="missing" id="missing" hidden>
<summary><span data-value="missing-count"></span></summary>
<div class="panel">
<p>The page asked for these parts, and the archive does not have them:</p>
<ul data-value="missing-list"></ul>
<p class="note" data-value="missing-more"></p>
${
  isOwner
    ? html`<form action="/save" method="post" data-value="missing-form"><input type="hidden" name="scope" value="page"><button type="submit" class="primary">Fetch them now</button></form>
<p class="note">What still exists on the web is archived as it is today, which may be newer than the page.</p>`
    : html`<p class="note">The owner of this archive can have them fetched.</p>`
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

function step(version: Version | undefined, name: string, relation: 'prev' | 'next'): Html {
  const arrow = relation === 'prev' ? '←' : '→'
  if (version === undefined) return html`<span class="step" aria-hidden="true">${arrow}</span>`
  const { url, capturedAtMs } = version
  const spoken = `${name}: ${printShortDay(capturedAtMs)}, ${printClock(capturedAtMs)}`
  return html`<a class="step" rel="${relation}" href="${versionPath(capturedAtMs, url)}" aria-label="${spoken}" title="${spoken}">${arrow}</a>`
}

function statusNotice({ status }: Version): Html {
  if (status < 400) return nothing
  return html`The server answered with ${status} at that time<span class="only-wide">: this is what it sent</span>`
}
