// URL shape: what URLs of one kind have in common: `/2024/05/17/a-title?page=2` is `/*/*/*/a-title?page`.
//
// Digits are taken for parts that count. The shape has the path with runs of digits as `*` and the names of the
// parameters in order; a calendar, a counter and a pager have one shape each, however many URLs.

import type { Url } from '../../../model/url/url.ts'

export interface UrlShape {
  readonly text: string
  readonly path: string
  readonly query: string
  /** Whether there is anything in it that counts, and so may count for ever. A page named by words is a page. */
  readonly isCounting: boolean
  /** Nothing but a date tells its URLs apart, or it is a calendar. */
  readonly isDated: boolean
  /** The year of a date in it: `2024/05`, `2024-05-17`, `year=2024`; undefined when there is none. */
  readonly year: number | undefined
  readonly isCalendar: boolean
  /** Its query has a year and a month: a calendar, or an archive, of which there is none for the future. */
  readonly isByMonth: boolean
}

const calendarPattern =
  /calend|kalend|events?\b|agenda|schedule|termine|veranstaltung|tribe-|ical\b|\bday\b|\bweek\b/i
/** Without a separator any long number would be a date, so only calendars may do without. */
const datePattern = /(?<!\d)((?:19|20|21)\d{2})[-/_.](?:0?[1-9]|1[0-2])(?!\d)/
const joinedDatePattern = /(?<!\d)((?:19|20|21)\d{2})(?:0[1-9]|1[0-2])(?:\d{2})?(?!\d)/
const yearParameterPattern =
  /(?:^|&)(?:[a-z_]*(?:year|date|month|jahr|annee|day|from|start)[a-z_]*|y)=([12]\d{3})(?!\d{4})/i

const yearAlonePattern = /(?:^|&)(?:y|yr|year|jahr|annee)=[12]\d{3}(?:&|$)/i
const monthAlonePattern = /(?:^|&)(?:m|mo|mon|month|monat|mois)=(?:0?[1-9]|1[0-2])(?:&|$)/i

/** The last segment has words: `17-ways-to-cook-rice`. */
const titlePattern = /[a-z]{2,}[-_][a-z]{2,}[^/]*$/i

export function shapeOf(url: Url): UrlShape {
  const { target } = url
  const question = target.indexOf('?')
  const path = question === -1 ? target : target.slice(0, question)
  const query = question === -1 ? '' : target.slice(question + 1)
  const names = query === '' ? '' : `?${parameterNames(query).join('&')}`
  const isCalendar = calendarPattern.test(target)
  const year = yearOf(path, query, isCalendar)
  return {
    text: `${url.authority}${path.replace(/\d+/g, '*')}${names}`,
    path,
    query,
    isCounting: query !== '' || (/\d/.test(path) && !titlePattern.test(path)),
    isDated: isCalendar || (year !== undefined && isDateOnly(target)),
    year,
    isCalendar,
    isByMonth: yearAlonePattern.test(query) && monthAlonePattern.test(query),
  }
}

function parameterNames(query: string): string[] {
  const names = new Set<string>()
  for (const parameter of query.split('&')) names.add(parameter.split('=', 1)[0]!.replace(/\d+/g, '*'))
  return [...names].sort()
}

function yearOf(path: string, query: string, isCalendar: boolean): number | undefined {
  const match =
    datePattern.exec(path) ??
    yearParameterPattern.exec(query) ??
    datePattern.exec(query) ??
    (isCalendar ? joinedDatePattern.exec(path + query) : null)
  return match === null ? undefined : Number(match[1])
}

/** A year, and at most a month and a day: with another number, or a longer one, it is an article of that day. */
function isDateOnly(target: string): boolean {
  const numbers = target.match(/\d+/g) ?? []
  return (
    numbers.length <= 3 &&
    numbers.every((digits, index) => digits.length <= 2 || (index === 0 && digits.length <= 8))
  )
}
