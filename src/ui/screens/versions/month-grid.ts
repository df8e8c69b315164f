// The months of a year, a square for each day: how often it was captured, with what outcome, and whether the content
// changed. Days lead to their only capture, or to the list of that day.

import type { DayHistory, History } from '../../history.ts'
import { dayMs, printDayOfMonth, printMonth, startOfMonthMs } from '../../markup/dates.ts'
import { type Html, html, nothing, spoken } from '../../markup/html.ts'
import { calendarPath, versionPath } from '../../markup/links.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { versionsTexts } from '../../texts/versions.ts'
import { type Outcome, outcomeNames } from '../../version-state.ts'
import { fourDigits } from './year-chart.ts'

/** Monday first, as ISO 8601 has it. */
const weekDays = [0, 1, 2, 3, 4, 5, 6]
const months = Array.from({ length: 12 }, (_, month) => month)

export function monthGrids(history: History, url: string): Html {
  return html`<div class="months">${months.map((month) => monthGrid(history, month, url))}</div>`
}

function monthGrid({ years, shownYear, days }: History, month: number, url: string): Html {
  const isMore = years.find(({ year }) => year === shownYear)?.months[month]?.isMore === true
  const span = `${fourDigits(shownYear)}${String(month + 1).padStart(2, '0')}`
  const startMs = startOfMonthMs(shownYear, month)
  const dayCount = Math.round((startOfMonthMs(shownYear, month + 1) - startMs) / dayMs)
  const blanks = (new Date(startMs).getUTCDay() + 6) % 7
  const cells: Html[] = Array.from({ length: blanks }, () => html`<td></td>`)
  let captures = 0
  for (let day = 1; day <= dayCount; day++) {
    const found = days.get((month + 1) * 100 + day)
    captures += found?.count ?? 0
    cells.push(
      found === undefined ? html`<td><span>${day}</span></td>` : dayCell(found, { day, month, span, url }),
    )
  }
  const name = printMonth(month)
  const isEmpty = captures === 0 && !isMore
  const spoken = isMore
    ? versionsTexts.moreThanCounted
    : versionsTexts.asList({ captures: sharedTexts.captures({ count: captures }) })
  const title = isEmpty
    ? html`${name}`
    : html`<a href="${calendarPath(url, span)}" title="${spoken}">${name}${isMore ? ' +' : ''}</a>`
  return html`<table class="month${isEmpty ? ' empty' : ''}">
<caption>${title}</caption>
<thead><tr>${weekDays.map(weekDayHead)}</tr></thead>
<tbody>${rowsOf(cells)}</tbody>
</table>`
}

function weekDayHead(day: number): Html {
  return spoken((locale) => {
    const name = locale.weekDay(day)
    return html`<th scope="col" abbr="${name}">${name.slice(0, 1)}</th>`
  })
}

function rowsOf(cells: readonly Html[]): Html[] {
  const rows: Html[] = []
  for (let start = 0; start < cells.length; start += 7) {
    rows.push(html`<tr>${cells.slice(start, start + 7)}</tr>`)
  }
  return rows
}

interface Place {
  readonly day: number
  readonly month: number
  readonly span: string
  readonly url: string
}

function dayCell(found: DayHistory, { day, month, span, url }: Place): Html {
  const target =
    found.count === 1
      ? versionPath(found.firstMs, url)
      : calendarPath(url, `${span}${String(day).padStart(2, '0')}`)
  const spoken = html`${printDayOfMonth(month, day)}: ${sharedTexts.captures({ count: found.count })}, ${changesOf(found)}${outcomesOf(found)}`
  return html`<td><a class="day ${bestOf(found)} ${found.changed > 0 ? 'changed' : 'same'} ${amountOf(found.count)}" href="${target}" title="${spoken}"><b aria-hidden="true">${day}</b>${found.count > 1 ? html`<small aria-hidden="true">${found.count > 99 ? '99+' : found.count}×</small>` : nothing}<span class="unseen">${spoken}</span></a></td>`
}

function changesOf({ count, changed }: DayHistory): Html {
  if (changed === 0) return versionsTexts.unchanged
  return count === changed ? versionsTexts.contentChanged : versionsTexts.changedIn({ number: changed })
}

/** A day is good when anything answered. */
function bestOf({ outcomes }: DayHistory): Outcome {
  const order: Outcome[] = ['good', 'redirect', 'missing', 'broken', 'other']
  return order.find((outcome) => outcomes.has(outcome)) ?? 'other'
}

function outcomesOf({ outcomes }: DayHistory): Html[] {
  const bad = [...outcomes].filter(([outcome]) => outcome !== 'good')
  return bad.map(([outcome, count]) => html`, ${count} ${outcomeNames[outcome]}`)
}

function amountOf(count: number): string {
  if (count === 1) return 'one'
  return count < 10 ? 'some' : 'many'
}

export const legend: Html = html`<ul class="legend" aria-label="${versionsTexts.marks}">
<li><i class="day good changed one" aria-hidden="true"></i> ${versionsTexts.contentChanged}</li>
<li><i class="day good same one" aria-hidden="true"></i> ${versionsTexts.theSame}</li>
<li><i class="day redirect changed one" aria-hidden="true"></i> ${versionsTexts.redirect}</li>
<li><i class="day missing changed one" aria-hidden="true"></i> ${versionsTexts.missing}</li>
<li><i class="day broken changed one" aria-hidden="true"></i> ${versionsTexts.broken}</li>
</ul>`
