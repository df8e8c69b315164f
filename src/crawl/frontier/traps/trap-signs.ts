// Trap signs: what can be told from a URL alone. Pure; counts are in trap-watch.ts.

import type { Url } from '../../../model/url/url.ts'
import type { TrapRules } from './trap-rules.ts'
import type { UrlShape } from './url-shape.ts'

/** Why this URL looks like a trap's; undefined when it does not. */
export function trapSign(
  url: Url,
  shape: UrlShape,
  depth: number,
  nowMs: number,
  rules: TrapRules,
): string | undefined {
  if (url.href.length > rules.hrefCharsMax) return `more than ${rules.hrefCharsMax} characters`
  if (depth > rules.depthMax) return `more than ${rules.depthMax} links one from the next`
  return pathSign(shape.path, rules) ?? querySign(shape.query, rules) ?? dateSign(shape, nowMs, rules)
}

function pathSign(path: string, rules: TrapRules): string | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments.length > rules.segmentsMax) return `more than ${rules.segmentsMax} path segments`
  const repeated = repeatedRun(segments, rules.repeatsMax)
  if (repeated !== undefined) return `path repeats /${repeated}/`
  const frequent = tooFrequent(segments, rules.sameSegmentsMax)
  return frequent === undefined
    ? undefined
    : `path has /${frequent}/ more than ${rules.sameSegmentsMax} times`
}

/** A run of segments that comes more than `max` times in a row. Numbers do (`/11/11/11`), once more than names. */
function repeatedRun(segments: readonly string[], max: number): string | undefined {
  for (let length = 1; length * (max + 1) <= segments.length; length++) {
    let equal = 0
    for (let index = length; index < segments.length; index++) {
      equal = segments[index] === segments[index - length] ? equal + 1 : 0
      const run = segments.slice(index - length + 1, index + 1)
      const needed = run.every(isNumber) ? max + 1 : max
      if (equal >= needed * length) return run.join('/')
    }
  }
  return undefined
}

function tooFrequent(segments: readonly string[], max: number): string | undefined {
  if (segments.length <= max) return undefined
  const counts = new Map<string, number>()
  for (const segment of segments) {
    if (isNumber(segment)) continue
    const count = (counts.get(segment) ?? 0) + 1
    if (count > max) return segment
    counts.set(segment, count)
  }
  return undefined
}

function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment)
}

function querySign(query: string, rules: TrapRules): string | undefined {
  if (query === '') return undefined
  const parameters = query.split('&')
  if (parameters.length > rules.parametersMax) return `more than ${rules.parametersMax} parameters`
  if (hasMoreOf(parameters, rules.sameParameterMax)) return 'the same parameter again and again'
  const names = parameters.map((parameter) => parameter.split('=', 1)[0]!)
  if (hasMoreOf(names, rules.sameNameMax)) return `more than ${rules.sameNameMax} parameters of one name`
  // `%25` encodes the `%` of an encoding within.
  const nested = `%${'25'.repeat(rules.nestedEncodingsMax)}`
  return query.includes(nested) ? 'a query within a query within a query' : undefined
}

function hasMoreOf(texts: readonly string[], max: number): boolean {
  if (texts.length <= max) return false
  const counts = new Map<string, number>()
  for (const text of texts) {
    const count = (counts.get(text) ?? 0) + 1
    if (count > max) return true
    counts.set(text, count)
  }
  return false
}

function dateSign(shape: UrlShape, nowMs: number, rules: TrapRules): string | undefined {
  const { year, isCalendar, isByMonth } = shape
  if (year === undefined) return undefined
  const thisYear = new Date(nowMs).getUTCFullYear()
  // A number of four digits is a year only where it can be one: `/9850/12` is an article.
  const isPlausible = year < 2_200
  if (isPlausible && year > thisYear + rules.yearsAheadMax && (isCalendar || isByMonth))
    return `calendar: ${year} is far ahead`
  if (isCalendar && year < rules.calendarYearMin) return `calendar: ${year} is long past`
  return undefined
}
