// Watches: what the owner watches, each with when it changed and what changed last; and one of them with all that it saw.

import { type WatchSighting, watchTitle } from '../../../changes/watches/page-watch.ts'
import type { WatchGap } from '../../../changes/watches/watch-book.ts'
import type { WatchView } from '../../../changes/watches/watches.ts'
import { writeWatch } from '../../../changes/watches/written-watch.ts'
import { printDuration, printNumber } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, comparePath, jobPath, versionPath, watchPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { watchesTexts } from '../../texts/watches.ts'
import { inlineDifference } from '../versions/inline-difference.ts'
import { type WatchFormData, watchForm } from './watch-form.ts'
import { sightingMessage, stateMessage } from './watch-messages.ts'
import { watchPlot } from './watch-plot.ts'

interface WatchesData {
  readonly views: readonly WatchView[]
  readonly count: number
  /** From 1. */
  readonly page: number
  readonly perPage: number
  readonly gap: WatchGap | undefined
  readonly form: WatchFormData
  readonly nowMs: number
}

const rowsInList = 2
const intro = html`<p>${watchesTexts.lead({ webhooks: (words) => html`<a href="/webhooks">${words}</a>` })}</p>`

export function watchesScreen({ views, count, page, perPage, gap, form, nowMs }: WatchesData): Screen {
  return {
    title: sharedTexts.watches,
    name: 'watches',
    current: 'watches',
    body: html`<header class="about-url"><h1>${sharedTexts.watches}</h1>
${intro}</header>
${gapNote(gap)}
${watchForm(form)}
<section aria-labelledby="watches"><h2 id="watches">${count === 0 ? watchesTexts.none : watchesTexts.count({ count })}</h2>
${views.length === 0 ? html`<p>${watchesTexts.sayAbove}</p>` : html`<ul class="rules watches">${views.map((view) => watchItem(view, nowMs))}</ul>`}
${paging(count, page, perPage)}
</section>`,
  }
}

/** For strangers: not even how many there are. */
export const watchesClosed: Screen = {
  title: sharedTexts.watches,
  name: 'watches',
  current: 'watches',
  body: html`<header class="about-url"><h1>${sharedTexts.watches}</h1>
<p>${watchesTexts.closed}</p></header>
<p class="note owners-only">${watchesTexts.closedHow}</p>
<p>${watchesTexts.closedFeeds({ feeds: (words) => html`<a href="/feeds">${words}</a>` })}</p>`,
}

export function watchScreen(view: WatchView, form: WatchFormData, nowMs: number): Screen {
  const { watch, state, history } = view
  const title = watchTitle(watch)
  return {
    title: watchesTexts.watchTitle({ name: title }),
    name: 'watch',
    current: 'watches',
    body: html`<header class="about-url"><p class="eyebrow"><a href="/watches">${sharedTexts.watches}</a></p><h1 dir="auto">${title}</h1>
<p>${settingWords(view)}</p>
${troubleNote(view)}
<ul class="tools">${watch.target.kind === 'site' ? nothing : html`<li><a href="${calendarPath(watch.target.url)}">${sharedTexts.allVersionsButton}</a></li>`}<li><a href="/feeds/watch/${watch.feedKey}" type="application/atom+xml">${watchesTexts.feed}</a></li><li>${controls(view)}</li></ul>
<p class="note">${watchesTexts.feedNote}</p></header>
<section aria-labelledby="seen"><h2 id="seen">${state.toldCount === 0 ? watchesTexts.noChanges : watchesTexts.changes({ count: state.toldCount })}</h2>
${watchPlot(history, watch.createdAtMs, nowMs)}
${history.length === 0 ? nothing : html`<ol class="sightings">${history.map((sighting) => sightingItem(sighting, watch.target.kind !== 'url'))}</ol>`}
${state.toldCount > history.length ? html`<p class="note">${watchesTexts.olderGone}</p>` : nothing}</section>
<section aria-labelledby="change"><h2 id="change">${watchesTexts.changeIt}</h2>${watchForm(form, watch.id)}</section>`,
  }
}

function watchItem(view: WatchView, nowMs: number): Html {
  const { watch, history } = view
  const [last] = history
  return html`<li><div class="watch-about"><h3><a class="rule-name" href="${watchPath(watch.id)}" dir="auto">${watchTitle(watch)}</a></h3>
<p>${settingWords(view)}</p>
${troubleNote(view)}
${last === undefined ? html`<p class="note">${waitingWords(view)}</p>` : html`<div class="last-seen">${sightingFacts(last, watch.target.kind !== 'url')}${differenceOf(last, rowsInList)}</div>`}</div>
<div class="watch-side">${watchPlot(history, watch.createdAtMs, nowMs)}${controls(view)}</div></li>`
}

export function sightingItem(sighting: WatchSighting, hasUrl: boolean): Html {
  return html`<li>${sightingFacts(sighting, hasUrl)}${differenceOf(sighting)}</li>`
}

function sightingFacts(sighting: WatchSighting, hasUrl: boolean): Html {
  const { atMs, url, kind, beforeMs } = sighting
  const words = sightingMessage(sighting)
  const shown = kind === 'gone' ? html`${words}` : html`<a href="${versionPath(atMs, url)}">${words}</a>`
  const compare =
    beforeMs === undefined
      ? nothing
      : html` · <a href="${comparePath(beforeMs, atMs, url)}">${watchesTexts.compare}</a>`
  return html`<p><strong>${shown}</strong> <span class="note">${momentElement(atMs)}${compare}</span>${hasUrl ? html`<br>${urlElement(url)}` : nothing}</p>`
}

function differenceOf({ excerpt }: WatchSighting, max?: number): Html {
  return excerpt.rows.length === 0 ? nothing : inlineDifference(excerpt, max)
}

function troubleNote({ watch, state, visitTrouble }: WatchView): Html {
  const words = stateMessage(watch, state)
  return html`${words === undefined ? nothing : html`<p class="trouble">${words}</p>`}${visitTrouble === undefined ? nothing : html`<p class="trouble">${watchesTexts.notVisited({ trouble: inEnglish(visitTrouble) })}</p>`}`
}

function waitingWords({ state, watch }: WatchView): Html {
  const { job } = state
  if (state.archiving === 'none')
    return watchesTexts.noChangeSince({ when: momentElement(watch.createdAtMs) })
  if (job === undefined) return watchesTexts.soon
  return watchesTexts.underWay({ job: (words) => html`<a href="${jobPath(job)}">${words}</a>` })
}

const browserWords: Readonly<Record<string, Html>> = {
  auto: watchesTexts.auto,
  always: watchesTexts.always,
  never: watchesTexts.never,
}

function settingWords({ watch: { target, name, look, everyMs, browser, isPaused } }: WatchView): Html {
  const { part, ignoreSelectors, ignorePatterns, leastShare } = look
  const ignored = ignoreSelectors.length + ignorePatterns.length
  const where =
    target.kind === 'url'
      ? watchesTexts.page
      : target.kind === 'prefix'
        ? watchesTexts.allBelow
        : watchesTexts.allOfSite
  const of =
    part.kind === 'selector'
      ? html`<code>${part.selector}</code>`
      : part.kind === 'main-text'
        ? watchesTexts.mainText
        : undefined
  const facts = [
    ...(isPaused ? [html`<strong>${watchesTexts.paused}</strong>`] : []),
    name === ''
      ? html`${where}`
      : html`${where} ${target.kind === 'site' ? html`<bdi>${target.site}</bdi>` : urlElement(target.url)}`,
    ...(of === undefined ? [] : [html`${of}`]),
    ...(leastShare > 0
      ? [watchesTexts.fromShare({ share: printNumber(Math.round(leastShare * 1000) / 10) })]
      : []),
    ...(ignored > 0 ? [watchesTexts.leftOut({ count: ignored })] : []),
    ...(everyMs > 0 ? [watchesTexts.visitedEvery({ duration: printDuration(everyMs) })] : []),
    ...(browser === undefined ? [] : [watchesTexts.inBrowser({ browser: browserWords[browser] ?? browser })]),
  ]
  return html`${facts.map((fact, index) => html`${index === 0 ? '' : ' · '}${fact}`)}`
}

function controls({ watch: { id, isPaused } }: WatchView): Html {
  const action = isPaused ? 'resume' : 'pause'
  return html`<form class="inline" action="${watchPath(id)}" method="post"><button type="submit" name="action" value="${action}">${isPaused ? sharedTexts.goOn : sharedTexts.pause}</button> <button type="submit" name="action" value="remove">${sharedTexts.remove}</button></form>`
}

function gapNote(gap: WatchGap | undefined): Html {
  if (gap === undefined) return nothing
  return html`<p class="trouble" role="status">${watchesTexts.gap({ from: momentElement(gap.fromMs), to: momentElement(gap.toMs) })}</p>`
}

function paging(count: number, page: number, perPage: number): Html {
  if (count <= perPage) return nothing
  const link = (number: number, words: Html) =>
    html`<a class="button" href="/watches?page=${number}">${words}</a>`
  return html`<p class="paging">${page > 1 ? link(page - 1, watchesTexts.newer) : nothing} ${count > page * perPage ? link(page + 1, watchesTexts.older) : nothing}</p>`
}

export function settingsOf({ watch }: WatchView): ReturnType<typeof writeWatch> {
  return writeWatch(watch)
}
