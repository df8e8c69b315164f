// Years at a glance: a bar for each month, a link for each year. Drawn as SVG, so that no style has to stand in the page.

import type { History, MonthHistory, YearHistory } from '../../history.ts'
import { printCount } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { calendarPath } from '../../markup/links.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { versionsTexts } from '../../texts/versions.ts'

const yearWidth = 60
const barWidth = 4
const barsLeft = 3
const chartHeight = 56
const barHeightMin = 4
/** Years without captures are drawn as a break when there are more of them than this in a row. */
const emptyYearsMax = 6

/** `undefined` is a break. */
function drawnYears(years: readonly YearHistory[]): (YearHistory | undefined)[] {
  const drawn: (YearHistory | undefined)[] = []
  let last: number | undefined
  for (const history of years) {
    const empty = last === undefined ? 0 : history.year - last - 1
    if (empty > emptyYearsMax) drawn.push(undefined)
    else for (let offset = 1; offset <= empty; offset++) drawn.push({ year: last! + offset, months: [] })
    drawn.push(history)
    last = history.year
  }
  return drawn
}

export function yearChart(history: History, url: string): Html {
  const drawn = drawnYears(history.years)
  const countMax = Math.max(1, ...history.years.flatMap(({ months }) => months.map(({ count }) => count)))
  return html`<nav class="years scroll" aria-label="${versionsTexts.years}">
<ol>${drawn.map((year) => yearItem(year, countMax, history.shownYear, url))}</ol>
</nav>
<p class="note years-note">${versionsTexts.yearsNote}</p>`
}

function yearItem(year: YearHistory | undefined, countMax: number, shownYear: number, url: string): Html {
  if (year === undefined) return html`<li class="break" aria-hidden="true">…</li>`
  const count = year.months.reduce((sum, month) => sum + month.count, 0)
  const isMore = year.months.some((month) => month.isMore)
  if (count === 0 && !isMore)
    return html`<li class="empty"><span>${bars([], countMax)}<b>${year.year}</b></span></li>`
  const spoken = html`${year.year}: ${isMore ? versionsTexts.moreThan : ''}${sharedTexts.captures({ count })}`
  const current = year.year === shownYear ? html` aria-current="true"` : nothing
  return html`<li><a href="${calendarPath(url, fourDigits(year.year))}" title="${spoken}"${current}>${bars(year.months, countMax)}<b>${year.year}</b> <small>${printCount(count)}${isMore ? '+' : ''}<span class="unseen"> ${versionsTexts.captureNoun({ count })}</span></small></a></li>`
}

function bars(months: readonly MonthHistory[], countMax: number): Html {
  return html`<svg viewBox="0 0 ${yearWidth} ${chartHeight}" width="${yearWidth}" height="${chartHeight}" aria-hidden="true" focusable="false"><path class="ground" d="M0 ${chartHeight - 0.5}H${yearWidth}"/>${months.map(
    (month, index) => {
      if (month.count === 0 && !month.isMore) return nothing
      const height = barHeight(month.count, countMax)
      const changed = month.count === 0 ? 0 : (height * month.changed) / month.count
      const x = barsLeft + index * (barWidth + 0.5)
      return html`<rect class="same" x="${x}" y="${shown(chartHeight - height)}" width="${barWidth}" height="${shown(height)}"/><rect class="changed" x="${x}" y="${shown(chartHeight - changed)}" width="${barWidth}" height="${shown(changed)}"/>`
    },
  )}</svg>`
}

/** By the square root: a month of one capture is seen beside a month of a thousand, and more is still seen to be more. */
function barHeight(count: number, countMax: number): number {
  return barHeightMin + (chartHeight - barHeightMin) * Math.sqrt(count / countMax)
}

function shown(number: number): string {
  return number.toFixed(1)
}

export function fourDigits(year: number): string {
  return String(year).padStart(4, '0')
}
