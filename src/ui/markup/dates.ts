// Times as people read them: in UTC and in the reader's language, to the minute or the day, with the exact moment for machines beside it.

import { printTimestamp, printWarcDate } from '../../model/timestamp.ts'
import { type Html, html, spoken } from './html.ts'

export const dayMs = 86_400_000

/** `3 March 2020` */
export function printDay(ms: number): Html {
  return spoken((locale) => html`${locale.day(ms)}`)
}

/** `3 Mar 2020` */
export function printShortDay(ms: number): Html {
  return spoken((locale) => html`${locale.shortDay(ms)}`)
}

/** `3 Mar 2020, 14:05:09` */
export function printMoment(ms: number): Html {
  return html`${printShortDay(ms)}, ${printClock(ms)}`
}

/** `March`; 0 is January. */
export function printMonth(month: number): Html {
  return spoken((locale) => html`${locale.month(month)}`)
}

/** `3 March` */
export function printDayOfMonth(month: number, day: number): Html {
  return spoken((locale) => html`${locale.dayOfMonth(month, day)}`)
}

/** `14:05:09` */
export function printClock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19)
}

export function timeElement(ms: number, shown: Html): Html {
  return html`<time datetime="${printWarcDate(ms)}">${shown}</time>`
}

/** `3 Mar 2020, 14:05` with UTC said for those who ask. */
export function momentElement(ms: number): Html {
  return html`<time datetime="${printWarcDate(ms)}" title="${printWarcDate(ms)}">${printShortDay(ms)}, ${printClock(ms).slice(0, 5)}</time>`
}

export function startOfYearMs(year: number): number {
  return startOfMonthMs(year, 0)
}

/** Date.UTC takes the years 0 to 99 for 1900 to 1999. */
export function startOfMonthMs(year: number, month: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, 1)
  return date.getTime()
}

export function yearOf(ms: number): number {
  return new Date(ms).getUTCFullYear()
}

/** The digits of a year, month (2 more) or day (4 more), as addresses have them. */
export function digitsOf(ms: number, count: 4 | 6 | 8 | 14): string {
  return printTimestamp(ms).slice(0, count)
}
