// Watches: what the owner watches, each with when it changed and what changed last; and one of them with all that it saw.

import { type WatchSighting, watchTitle } from '../../../changes/watches/page-watch.ts'
import type { WatchGap } from '../../../changes/watches/watch-book.ts'
import { sightingWords, stateTrouble } from '../../../changes/watches/watch-words.ts'
import type { WatchView } from '../../../changes/watches/watches.ts'
import { writeWatch } from '../../../changes/watches/written-watch.ts'
import { plural } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { printDuration } from '../../markup/duration.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, comparePath, jobPath, versionPath, watchPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { inlineDifference } from '../versions/inline-difference.ts'
import { type WatchFormData, watchForm } from './watch-form.ts'
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
const intro = html`<p>You are told of what changes on these pages: here, in feeds, and by <a href="/webhooks">webhooks</a>.</p>`

export function watchesScreen({ views, count, page, perPage, gap, form, nowMs }: WatchesData): Screen {
  return {
    title: 'Watches',
    name: 'watches',
    current: 'watches',
    body: html`<header class="about-url"><h1>Watches</h1>
${intro}</header>
${gapNote(gap)}
${watchForm(form)}
<section aria-labelledby="watches"><h2 id="watches">${count === 0 ? 'Nothing is watched yet' : plural(count, 'watch', 'watches')}</h2>
${views.length === 0 ? html`<p>Say above what to watch. A page that is not in the archive is archived first.</p>` : html`<ul class="rules watches">${views.map((view) => watchItem(view, nowMs))}</ul>`}
${paging(count, page, perPage)}
</section>`,
  }
}

/** For strangers: not even how many there are. */
export const watchesClosed: Screen = {
  title: 'Watches',
  name: 'watches',
  current: 'watches',
  body: html`<header class="about-url"><h1>Watches</h1>
<p>Whoever keeps this archive can have pages watched, and is told of what changes on them. What is watched is shown to the owner alone.</p></header>
<p class="note owners-only">To watch pages, open the link that <code>polyhistor peer</code> printed, or run <code>polyhistor link</code> on its machine.</p>
<p>Changes of a page or a site can be followed by everybody, as <a href="/feeds">feeds</a>.</p>`,
}

export function watchScreen(view: WatchView, form: WatchFormData, nowMs: number): Screen {
  const { watch, state, history } = view
  const title = watchTitle(watch)
  return {
    title: `Watch: ${title}`,
    name: 'watch',
    current: 'watches',
    body: html`<header class="about-url"><p class="eyebrow"><a href="/watches">Watches</a></p><h1>${title}</h1>
<p>${settingWords(view)}</p>
${troubleNote(view)}
<ul class="tools">${watch.target.kind === 'site' ? nothing : html`<li><a href="${calendarPath(watch.target.url)}">All versions</a></li>`}<li><a href="/feeds/watch/${watch.feedKey}" type="application/atom+xml">Feed</a></li><li>${controls(view)}</li></ul>
<p class="note">Whoever has the address of the feed can read it.</p></header>
<section aria-labelledby="seen"><h2 id="seen">${state.toldCount === 0 ? 'No changes yet' : plural(state.toldCount, 'change')}</h2>
${watchPlot(history, watch.createdAtMs, nowMs)}
${history.length === 0 ? nothing : html`<ol class="sightings">${history.map((sighting) => sightingItem(sighting, watch.target.kind !== 'url'))}</ol>`}
${state.toldCount > history.length ? html`<p class="note">Older ones are not kept; the versions are.</p>` : nothing}</section>
<section aria-labelledby="change"><h2 id="change">Change it</h2>${watchForm(form, watch.id)}</section>`,
  }
}

function watchItem(view: WatchView, nowMs: number): Html {
  const { watch, history } = view
  const [last] = history
  return html`<li><div class="watch-about"><h3><a class="rule-name" href="${watchPath(watch.id)}">${watchTitle(watch)}</a></h3>
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
  const words = sightingWords(sighting)
  const shown = kind === 'gone' ? html`${words}` : html`<a href="${versionPath(atMs, url)}">${words}</a>`
  const compare =
    beforeMs === undefined ? nothing : html` · <a href="${comparePath(beforeMs, atMs, url)}">compare</a>`
  return html`<p><strong>${shown}</strong> <span class="note">${momentElement(atMs)}${compare}</span>${hasUrl ? html`<br>${urlElement(url)}` : nothing}</p>`
}

function differenceOf({ excerpt }: WatchSighting, max?: number): Html {
  return excerpt.rows.length === 0 ? nothing : inlineDifference(excerpt, max)
}

function troubleNote({ watch, state, visitTrouble }: WatchView): Html {
  const words = stateTrouble(watch, state)
  return html`${words === undefined ? nothing : html`<p class="trouble">${words}</p>`}${visitTrouble === undefined ? nothing : html`<p class="trouble">It is not visited as it asks for: ${visitTrouble}</p>`}`
}

function waitingWords({ state, watch }: WatchView): Html {
  if (state.archiving === 'none') return html`No change since ${momentElement(watch.createdAtMs)}.`
  if (state.job === undefined) return html`Not in the archive yet; it is fetched soon.`
  return html`Not in the archive yet: <a href="${jobPath(state.job)}">it is being fetched</a>.`
}

function settingWords({ watch: { target, name, look, everyMs, browser, isPaused } }: WatchView): Html {
  const { part, ignoreSelectors, ignorePatterns, leastShare } = look
  const ignored = ignoreSelectors.length + ignorePatterns.length
  const where =
    target.kind === 'url' ? 'page' : target.kind === 'prefix' ? 'all pages below' : 'all pages of the site'
  const of =
    part.kind === 'selector'
      ? html`<code>${part.selector}</code>`
      : part.kind === 'main-text'
        ? 'main text'
        : undefined
  const facts = [
    ...(isPaused ? [html`<strong>paused</strong>`] : []),
    name === ''
      ? html`${where}`
      : html`${where} ${target.kind === 'site' ? target.site : urlElement(target.url)}`,
    ...(of === undefined ? [] : [html`${of}`]),
    ...(leastShare > 0 ? [html`from ${Math.round(leastShare * 1000) / 10} % of its words`] : []),
    ...(ignored > 0 ? [html`${plural(ignored, 'part')} left out`] : []),
    ...(everyMs > 0 ? [html`visited every ${printDuration(everyMs)}`] : []),
    ...(browser === undefined ? [] : [html`browser: ${browser}`]),
  ]
  return html`${facts.map((fact, index) => html`${index === 0 ? '' : ' · '}${fact}`)}`
}

function controls({ watch: { id, isPaused } }: WatchView): Html {
  const action = isPaused ? 'resume' : 'pause'
  return html`<form class="inline" action="${watchPath(id)}" method="post"><button type="submit" name="action" value="${action}">${isPaused ? 'Go on' : 'Pause'}</button> <button type="submit" name="action" value="remove">Remove</button></form>`
}

function gapNote(gap: WatchGap | undefined): Html {
  if (gap === undefined) return nothing
  return html`<p class="trouble" role="status"><strong>Changes were missed</strong> from ${momentElement(gap.fromMs)} to ${momentElement(gap.toMs)}: this peer did not run, and the log of changes does not reach back so far.</p>`
}

function paging(count: number, page: number, perPage: number): Html {
  if (count <= perPage) return nothing
  const link = (number: number, words: string) =>
    html`<a class="button" href="/watches?page=${number}">${words}</a>`
  return html`<p class="paging">${page > 1 ? link(page - 1, 'Newer') : nothing} ${count > page * perPage ? link(page + 1, 'Older') : nothing}</p>`
}

export function settingsOf({ watch }: WatchView): ReturnType<typeof writeWatch> {
  return writeWatch(watch)
}
