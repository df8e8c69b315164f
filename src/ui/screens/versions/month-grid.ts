// The months of a year, a square for each day: how often it was captured, with what outcome, and whether the content
// changed. Days lead to their only capture, or to the list of that day.

import type { DayHistory, History } from '../../history.ts'
import { plural } from '../../markup/amounts.ts'
import { dayMs, monthNames, startOfMonthMs } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { calendarPath, versionPath } from '../../markup/links.ts'
import { type Outcome, outcomeNames } from '../../version-state.ts'
import { fourDigits } from './year-chart.ts'

/** Monday first, as ISO 8601 has it. */
const weekDays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

export function monthGrids(history: History, url: string): Html {
  return html`<div class="months">${monthNames.map((_, month) => monthGrid(history, month, url))}</div>`
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
  const name = monthNames[month]!
  const isEmpty = captures === 0 && !isMore
  const spoken = isMore
    ? 'more captures than are counted here, as a list'
    : `${plural(captures, 'capture')}, as a list`
  const title = isEmpty
    ? html`${name}`
    : html`<a href="${calendarPath(url, span)}" title="${spoken}">${name}${isMore ? ' +' : ''}</a>`
  return html`<table class="month${isEmpty ? ' empty' : ''}">
<caption>${title}</caption>
<thead><tr>${weekDays.map((name) => html`<th scope="col" abbr="${name}">${name.slice(0, 1)}</th>`)}</tr></thead>
<tbody>${rowsOf(cells)}</tbody>
</table>`
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
  const spoken = `${day} ${monthNames[month]!}: ${plural(found.count, 'capture')}, ${changesOf(found)}${outcomesOf(found)}`
  return html`<td><a class="day ${bestOf(found)} ${found.changed > 0 ? 'changed' : 'same'} ${amountOf(found.count)}" href="${target}" title="${spoken}"><b aria-hidden="true">${day}</b>${found.count > 1 ? html`<small aria-hidden="true">${found.count > 99 ? '99+' : found.count}×</small>` : nothing}<span class="unseen">${spoken}</span></a></td>`
}

function changesOf({ count, changed }: DayHistory): string {
  if (changed === 0) return 'content unchanged'
  return count === changed ? 'content changed' : `content changed in ${changed}`
}

/** A day is good when anything answered. */
function bestOf({ outcomes }: DayHistory): Outcome {
  const order: Outcome[] = ['good', 'redirect', 'missing', 'broken', 'other']
  return order.find((outcome) => outcomes.has(outcome)) ?? 'other'
}

function outcomesOf({ outcomes }: DayHistory): string {
  const bad = [...outcomes].filter(([outcome]) => outcome !== 'good')
  return bad.map(([outcome, count]) => `, ${count} ${outcomeNames[outcome]}`).join('')
}

function amountOf(count: number): string {
  if (count === 1) return 'one'
  return count < 10 ? 'some' : 'many'
}

export const legend: Html = html`<ul class="legend" aria-label="What the marks mean">
<li><i class="day good changed one" aria-hidden="true"></i> content changed</li>
<li><i class="day good same one" aria-hidden="true"></i> the same as before</li>
<li><i class="day redirect changed one" aria-hidden="true"></i> redirect</li>
<li><i class="day missing changed one" aria-hidden="true"></i> not found or refused</li>
<li><i class="day broken changed one" aria-hidden="true"></i> server error</li>
</ul>`
