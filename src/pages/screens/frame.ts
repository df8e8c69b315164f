// The replay frame: a slim bar of ours, and below it the archived page in a sandbox on another host, whose scripts
// cannot reach the bar.

import type { Url } from '../../record/url.ts'
import type { Version } from '../archive.ts'
import { printClock, printShortDay, timeElement } from '../dates.ts'
import { type Html, html, nothing } from '../html.ts'
import { brandMark, type Screen } from '../layout.ts'
import { calendarPath, comparePath, framedPath, originalPath, versionPath } from '../links.ts'
import { briefUrl } from '../readable-url.ts'
import { urlElement } from '../shown-url.ts'
import type { Timeline } from '../timeline.ts'
import { timelineDrawing } from './timeline-drawing.ts'

export interface FrameData {
  readonly url: Url
  readonly version: Version
  readonly previous: Version | undefined
  readonly next: Version | undefined
  /** The last version before this one that was different. */
  readonly comparable: Version | undefined
  readonly timeline: Timeline | undefined
  readonly replayOrigin: string
}

/** No same origin, no top navigation, no windows, no downloads: the page can be seen and used, and that is all. What
 * replay sends with the page says the same. */
export const sandbox = 'allow-scripts allow-forms allow-modals allow-pointer-lock allow-presentation'

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
  return html`<header class="bar" id="bar" data-url="${url}" data-at-ms="${capturedAtMs}" data-replay="${data.replayOrigin}">
<a class="brand" href="/" aria-label="Polyhistor: home">${brandMark}</a>
<h1 class="when"><span class="unseen">Archived on</span> ${timeElement(capturedAtMs, printShortDay(capturedAtMs))} <small>${printClock(capturedAtMs)} UTC</small></h1>
<nav class="steps" aria-label="Versions">
${step(previous, 'Previous version', 'prev')}
${data.timeline === undefined ? nothing : timelineDrawing(data.timeline, url)}
${step(next, 'Next version', 'next')}
</nav>
<p class="address">${urlElement(url)}</p>
<ul class="bar-tools">
<li><a href="${calendarPath(url)}">All versions</a></li>
${comparable === undefined ? nothing : html`<li><a href="${comparePath(comparable.capturedAtMs, capturedAtMs, url)}">What changed</a></li>`}
${isShownInFrame(version) ? nothing : html`<li><a href="${originalPath(capturedAtMs, url)}" download>Download the file</a></li>`}
<li><a href="${url}" rel="external noopener noreferrer" target="_blank" title="The page as it is on the web today, in a new tab">Live page</a></li>
</ul>
<p class="notice" id="notice" role="status">${statusNotice(version)}</p>
</header>`
}

/** Browsers show no PDF and no archive file in a sandbox. */
function isShownInFrame({ mime }: Version): boolean {
  return mime === '' || /^(?:text|image|audio|video)\/|html|xml|json|javascript|not-modified/.test(mime)
}

function step(version: Version | undefined, name: string, relation: 'prev' | 'next'): Html {
  const arrow = relation === 'prev' ? '←' : '→'
  if (version === undefined) return html`<span class="step" aria-hidden="true">${arrow}</span>`
  const { url, capturedAtMs } = version
  const spoken = `${name}: ${printShortDay(capturedAtMs)}, ${printClock(capturedAtMs)}`
  return html`<a class="step" rel="${relation}" href="${versionPath(capturedAtMs, url)}" aria-label="${spoken}" title="${spoken}">${arrow}</a>`
}

function statusNotice({ status }: Version): Html {
  if (status < 400) return nothing
  return html`The server answered with ${status} at that time; this is what it sent.`
}
