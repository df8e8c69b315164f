// Calendar: when a URL was captured. Years at a glance, the months of one year, and the list of a month or a day.

import type { Url } from '../../../model/url/url.ts'
import type { Span } from '../../address.ts'
import type { History } from '../../history.ts'
import { printBytes } from '../../markup/amounts.ts'
import {
  digitsOf,
  momentElement,
  printDay,
  printMoment,
  printMonth,
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
import { sharedTexts } from '../../texts/shared.ts'
import { versionsTexts } from '../../texts/versions.ts'
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
    title: versionsTexts.title({ url: briefUrl(url.href) }),
    name: 'calendar',
    feed: atomPath('url', url.href),
    script: 'calendar.ts',
    typed: readableUrl(url.href),
    body: html`<header class="about-url">
<p class="eyebrow">${versionsTexts.allVersionsOf}</p>
<h1>${urlElement(url.href)}</h1>
<p>${summary(history)}</p>
<ul class="tools">${tools(url, history)}${isOwner ? html`<li><a href="${watchThisPath(url.href)}">${versionsTexts.watchThisPage}</a></li><li>${archiveAgainForm(url.href)}</li>` : nothing}</ul>
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
      ? versionsTexts.onDay({ day: timeElement(firstMs, printDay(firstMs)) })
      : versionsTexts.between({
          from: timeElement(firstMs, printDay(firstMs)),
          to: timeElement(lastMs, printDay(lastMs)),
        })
  return html`${isMore ? sharedTexts.moreThan : ''}<strong>${sharedTexts.captures({ count })}</strong> ${when}, <strong>${versionsTexts.different({ count: changed })}</strong>.`
}

function tools({ href, site }: Url, { firstMs, lastMs }: History): Html[] {
  const items = [html`<a href="${versionPath(lastMs, href)}">${versionsTexts.newest}</a>`]
  if (firstMs !== lastMs) {
    items.push(
      html`<a href="${versionPath(firstMs, href)}">${versionsTexts.oldest}</a>`,
      html`<a href="${comparePath(firstMs, lastMs, href)}">${versionsTexts.compareEnds}</a>`,
    )
  }
  items.push(
    html`<a href="${prefixPath(href)}">${versionsTexts.below}</a>`,
    html`<a href="${linksPath('to', href)}">${sharedTexts.whatLinksHere}</a>`,
    html`<a href="${sitePath(site)}">${versionsTexts.allOf({ site })}</a>`,
    html`<a href="${feedPath('url', href)}">${versionsTexts.changes}</a>`,
    html`<a href="${downloadPath('url', href)}" download>${versionsTexts.download}</a>`,
  )
  return items.map((item) => html`<li>${item}</li>`)
}

function months({ url, history }: CalendarData): Html {
  const shown = history.years.find(({ year }) => year === history.shownYear)
  const isMore = shown?.months.some((month) => month.isMore) === true
  return html`<section aria-labelledby="year">
<div class="year-head"><h2 id="year">${history.shownYear}</h2>${legend}</div>
${monthGrids(history, url.href)}
<p class="note">${versionsTexts.severalNote}${isMore ? html` ${versionsTexts.moreNote}` : ''}</p>
</section>`
}

function listing({ url, span }: CalendarData, { versions, next }: VersionList): Html {
  const [first] = versions
  const year =
    first === undefined ? undefined : fourDigits(new Date(first.version.capturedAtMs).getUTCFullYear())
  return html`<section aria-labelledby="listing">
<h2 id="listing">${spanTitle(span)}</h2>
${year === undefined ? nothing : html`<p><a href="${calendarPath(url.href, year)}">${versionsTexts.backToMonths({ year })}</a></p>`}
${versions.length === 0 ? html`<p>${versionsTexts.noCaptures}</p>` : pickingForm(url.href, versions)}
${next === undefined ? nothing : html`<p class="paging"><a class="button" rel="next" href="${calendarPath(url.href, next)}">${versionsTexts.later}</a></p>`}
</section>`
}

/** Two of them can be picked; of a single one there is nothing to pick. */
function pickingForm(url: string, versions: readonly ListedVersion[]): Html {
  if (versions.length === 1) return versionTable(versions, false)
  return html`<form action="/compare" method="get"><input type="hidden" name="url" value="${url}">
<p>${versionsTexts.pickTwo} <button type="submit">${versionsTexts.compareThem}</button></p>
${versionTable(versions, true)}
</form>`
}

function versionTable(versions: readonly ListedVersion[], isPicked: boolean): Html {
  const pickHead = html`<th scope="col">${versionsTexts.earlierHead}</th><th scope="col">${versionsTexts.laterHead}</th>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${versionsTexts.captures}"><table class="list">
<thead><tr>${isPicked ? pickHead : nothing}<th scope="col">${versionsTexts.captured}</th><th scope="col">${versionsTexts.content}</th><th scope="col">${versionsTexts.status}</th><th scope="col">${versionsTexts.type}</th><th scope="col" class="number">${versionsTexts.size}</th><th scope="col"><span class="unseen">${versionsTexts.more}</span></th></tr></thead>
<tbody>${versions.map((listed, index) => versionRow(listed, isPicked ? picks(listed, index, versions.length) : nothing))}</tbody>
</table></div>`
}

/** The first and the last are picked to begin with. */
function picks({ version: { capturedAtMs } }: ListedVersion, index: number, count: number): Html {
  const pick = (name: 'from' | 'to', label: Html, isChosen: boolean): Html => {
    const spoken = html`${label}: ${printMoment(capturedAtMs)}`
    return html`<td class="pick"><input type="radio" name="${name}" value="${digitsOf(capturedAtMs, 14)}" aria-label="${spoken}"${isChosen ? html` checked` : nothing}></td>`
  }
  return html`${pick('from', versionsTexts.earlierVersion, index === 0)}${pick('to', versionsTexts.laterVersion, index === count - 1)}`
}

function versionRow({ version, before, isChanged, hasThumbnail }: ListedVersion, picked: Html): Html {
  const { url, capturedAtMs, status, mime, payloadBytes } = version
  const isLinked = before !== undefined && isChanged
  return html`<tr>${picked}
<th scope="row"><a href="${versionPath(capturedAtMs, url)}">${hasThumbnail ? thumbnail(capturedAtMs, url) : nothing}${timeElement(capturedAtMs, printMoment(capturedAtMs))}</a></th>
<td><i class="dot ${outcomeOf(version)} ${isChanged ? 'changed' : 'same'}" aria-hidden="true"></i> ${before === undefined ? versionsTexts.first : isChanged ? versionsTexts.changed : versionsTexts.sameAsBefore}</td>
<td>${status === 0 ? '–' : status}</td>
<td>${mime}</td>
<td class="number">${printBytes(payloadBytes)}</td>
<td>${isLinked ? html`<a href="${comparePath(before.capturedAtMs, capturedAtMs, url)}">${versionsTexts.whatChanged}</a> · ` : nothing}<a href="${originalPath(capturedAtMs, url)}">${versionsTexts.asItCame}</a> · <details class="captured" data-url="${url}" data-at-ms="${capturedAtMs}"><summary title="${versionsTexts.capturedByTitle}">${versionsTexts.capturedBy}</summary><p data-value="captured-by" role="status"></p></details></td>
</tr>`
}

/** `2020`, `March 2020`, `3 March 2020`, or from one moment to another. */
function spanTitle({ written, fromMs, toMs }: Span): Html {
  if (fromMs !== undefined && !written.includes('-')) {
    if (written.length === 4) return html`${Number(written)}`
    if (written.length === 6)
      return html`${printMonth(Number(written.slice(4)) - 1)} ${Number(written.slice(0, 4))}`
    if (written.length === 8) return html`${printDay(fromMs)}`
  }
  const from = fromMs === undefined ? versionsTexts.beginning : momentElement(fromMs)
  const to = toMs === undefined ? versionsTexts.now : momentElement(toMs - 1)
  return versionsTexts.span({ from, to })
}
