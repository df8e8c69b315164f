// Calendar: when a URL was captured. Years at a glance, the months of one year, and the list of a month or a day.

import type { Url } from '../../../model/url/url.ts'
import type { Span } from '../../address.ts'
import type { History } from '../../history.ts'
import { plural, printBytes } from '../../markup/amounts.ts'
import {
  digitsOf,
  momentElement,
  monthNames,
  printClock,
  printDay,
  printShortDay,
  timeElement,
} from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import {
  atomPath,
  calendarPath,
  comparePath,
  downloadPath,
  feedPath,
  linksPath,
  originalPath,
  prefixPath,
  sitePath,
  versionPath,
  watchThisPath,
} from '../../markup/links.ts'
import { briefUrl, readableUrl } from '../../markup/readable-url.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { thumbnail } from '../../markup/thumbnail.ts'
import type { ListedVersion, VersionList } from '../../version-list.ts'
import { outcomeOf } from '../../version-state.ts'
import { archiveAgainForm, ownersOnly } from '../jobs/archive-now.ts'
import { legend, monthGrids } from './month-grid.ts'
import { fourDigits, yearChart } from './year-chart.ts'

interface CalendarData {
  readonly url: Url
  readonly span: Span
  readonly history: History
  readonly isOwner: boolean
  /** Instead of the months, where the span is shorter than a year. */
  readonly list: VersionList | undefined
}

export function calendarScreen(data: CalendarData): Screen {
  const { url, history, list, isOwner } = data
  return {
    title: `${briefUrl(url.href)}: all versions`,
    name: 'calendar',
    feed: atomPath('url', url.href),
    script: 'calendar.ts',
    typed: readableUrl(url.href),
    body: html`<header class="about-url">
<p class="eyebrow">All versions of</p>
<h1>${urlElement(url.href)}</h1>
<p>${summary(history)}</p>
<ul class="tools">${tools(url, history)}${isOwner ? html`<li><a href="${watchThisPath(url.href)}">Watch this page</a></li><li>${archiveAgainForm(url.href)}</li>` : nothing}</ul>
${isOwner ? nothing : ownersOnly}
</header>
${yearChart(history, url.href)}
${list === undefined ? months(data) : listing(data, list)}`,
  }
}

function summary({ years, firstMs, lastMs }: History): Html {
  const months = years.flatMap((year) => year.months)
  const count = months.reduce((sum, month) => sum + month.count, 0)
  const changed = months.reduce((sum, month) => sum + month.changed, 0)
  const isMore = months.some((month) => month.isMore)
  const when =
    digitsOf(firstMs, 8) === digitsOf(lastMs, 8)
      ? html`on ${timeElement(firstMs, printDay(firstMs))}`
      : html`between ${timeElement(firstMs, printDay(firstMs))} and ${timeElement(lastMs, printDay(lastMs))}`
  return html`${isMore ? 'More than ' : ''}<strong>${plural(count, 'capture')}</strong> ${when}, <strong>${plural(changed, 'different version')}</strong>.`
}

function tools({ href, site }: Url, { firstMs, lastMs }: History): Html[] {
  const items = [html`<a href="${versionPath(lastMs, href)}">Newest</a>`]
  if (firstMs !== lastMs) {
    items.push(
      html`<a href="${versionPath(firstMs, href)}">Oldest</a>`,
      html`<a href="${comparePath(firstMs, lastMs, href)}">Compare oldest and newest</a>`,
    )
  }
  items.push(
    html`<a href="${prefixPath(href)}">Pages below this one</a>`,
    html`<a href="${linksPath('to', href)}">What links here</a>`,
    html`<a href="${sitePath(site)}">All of ${site}</a>`,
    html`<a href="${feedPath('url', href)}">Changes</a>`,
    html`<a href="${downloadPath('url', href)}" download>Download</a>`,
  )
  return items.map((item) => html`<li>${item}</li>`)
}

function months({ url, history }: CalendarData): Html {
  const shown = history.years.find(({ year }) => year === history.shownYear)
  const isMore = shown?.months.some((month) => month.isMore) === true
  return html`<section aria-labelledby="year">
<div class="year-head"><h2 id="year">${history.shownYear}</h2>${legend}</div>
${monthGrids(history, url.href)}
<p class="note">Days with several captures lead to a list; the figure below the day says how many.${isMore ? ' There are more captures than were counted: months with a + lead to all of theirs.' : ''}</p>
</section>`
}

function listing({ url, span }: CalendarData, { versions, next }: VersionList): Html {
  const [first] = versions
  const year =
    first === undefined ? undefined : fourDigits(new Date(first.version.capturedAtMs).getUTCFullYear())
  return html`<section aria-labelledby="listing">
<h2 id="listing">${spanTitle(span)}</h2>
${year === undefined ? nothing : html`<p><a href="${calendarPath(url.href, year)}">Back to the months of ${year}</a></p>`}
${versions.length === 0 ? html`<p>No captures in this time.</p>` : pickingForm(url.href, versions)}
${next === undefined ? nothing : html`<p class="paging"><a class="button" rel="next" href="${calendarPath(url.href, next)}">Later captures</a></p>`}
</section>`
}

/** Two of them can be picked; of a single one there is nothing to pick. */
function pickingForm(url: string, versions: readonly ListedVersion[]): Html {
  if (versions.length === 1) return versionTable(versions, false)
  return html`<form action="/compare" method="get"><input type="hidden" name="url" value="${url}">
<p>Pick two versions: <button type="submit">Compare them</button></p>
${versionTable(versions, true)}
</form>`
}

function versionTable(versions: readonly ListedVersion[], isPicked: boolean): Html {
  const pickHead = html`<th scope="col">Earlier</th><th scope="col">Later</th>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Captures"><table class="list">
<thead><tr>${isPicked ? pickHead : nothing}<th scope="col">Captured (UTC)</th><th scope="col">Content</th><th scope="col">Status</th><th scope="col">Type</th><th scope="col" class="number">Size</th><th scope="col"><span class="unseen">More</span></th></tr></thead>
<tbody>${versions.map((listed, index) => versionRow(listed, isPicked ? picks(listed, index, versions.length) : nothing))}</tbody>
</table></div>`
}

/** The first and the last are picked to begin with. */
function picks({ version: { capturedAtMs } }: ListedVersion, index: number, count: number): Html {
  const pick = (name: 'from' | 'to', label: string, isChosen: boolean): Html => {
    const spoken = `${label}: ${printShortDay(capturedAtMs)}, ${printClock(capturedAtMs)}`
    return html`<td class="pick"><input type="radio" name="${name}" value="${digitsOf(capturedAtMs, 14)}" aria-label="${spoken}"${isChosen ? html` checked` : nothing}></td>`
  }
  return html`${pick('from', 'Earlier version', index === 0)}${pick('to', 'Later version', index === count - 1)}`
}

function versionRow({ version, before, isChanged, hasThumbnail }: ListedVersion, picked: Html): Html {
  const { url, capturedAtMs, status, mime, payloadBytes } = version
  const isLinked = before !== undefined && isChanged
  return html`<tr>${picked}
<th scope="row"><a href="${versionPath(capturedAtMs, url)}">${hasThumbnail ? thumbnail(capturedAtMs, url) : nothing}${timeElement(capturedAtMs, `${printShortDay(capturedAtMs)}, ${printClock(capturedAtMs)}`)}</a></th>
<td><i class="dot ${outcomeOf(version)} ${isChanged ? 'changed' : 'same'}" aria-hidden="true"></i> ${before === undefined ? 'first' : isChanged ? 'changed' : 'same as before'}</td>
<td>${status === 0 ? '–' : status}</td>
<td>${mime}</td>
<td class="number">${printBytes(payloadBytes)}</td>
<td>${isLinked ? html`<a href="${comparePath(before.capturedAtMs, capturedAtMs, url)}">what changed</a> · ` : nothing}<a href="${originalPath(capturedAtMs, url)}">as it came</a> · <details class="captured" data-url="${url}" data-at-ms="${capturedAtMs}"><summary title="Who captured it, and who saw the same">captured by</summary><p data-value="captured-by" role="status"></p></details></td>
</tr>`
}

/** `2020`, `March 2020`, `3 March 2020`, or from one moment to another. */
function spanTitle({ written, fromMs, toMs }: Span): Html {
  if (fromMs !== undefined && !written.includes('-')) {
    if (written.length === 4) return html`${Number(written)}`
    if (written.length === 6)
      return html`${monthNames[Number(written.slice(4)) - 1]!} ${Number(written.slice(0, 4))}`
    if (written.length === 8) return html`${printDay(fromMs)}`
  }
  const from = fromMs === undefined ? 'the beginning' : momentElement(fromMs)
  const to = toMs === undefined ? 'now' : momentElement(toMs - 1)
  return html`From ${from} to ${to}`
}
