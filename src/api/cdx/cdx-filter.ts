// `filter=`: which captures a CDX query lets through.
//
// The Internet Archive writes `[!]field:regex` and means the whole value. pywb writes `[!]field:text` (contained),
// `[!]=field:text` (equal) and `[!]~field:regex` (from the start), and means the whole line where no field is named. The marks `=` and
// `~` are understood in both.

import { type LinearPattern, linearPattern, PatternRefused } from '../../model/linear-pattern.ts'
import { ApiError, quoted } from '../api-error.ts'
import { type CdxDialect, type CdxRow, fieldsDefault, fieldValue, filteredField } from './cdx-fields.ts'
import { cdxjLine } from './cdx-output.ts'

export type CdxFilter = (row: CdxRow) => boolean

const filtersMax = 20
const patternCharsMax = 500

export function parseFilters(dialect: CdxDialect, texts: readonly string[]): CdxFilter[] {
  if (texts.length > filtersMax)
    throw new ApiError('request-bad-parameter', `A query has at most ${filtersMax} filters.`)
  return texts.map((text) => parseFilter(dialect, text))
}

function parseFilter(dialect: CdxDialect, text: string): CdxFilter {
  const match = /^(!?)([=~]?)(?:([\w.]+):)?(.*)$/s.exec(text)
  if (match === null || (match[3] === undefined && !mayLackField(dialect, match[4]!))) {
    throw new ApiError(
      'request-bad-parameter',
      `filter is ${quoted(text)}, but must look like statuscode:200 or !mimetype:image/.*`,
    )
  }
  const [, not, mark, name, wanted] = match
  const field = name === undefined ? undefined : filteredField(dialect, name)
  const matches = matcher(dialect, mark!, wanted!)
  const value = (row: CdxRow) =>
    field === undefined ? cdxjLine(fieldsDefault.pywb, row) : fieldValue(field, row)
  return not === '!' ? (row) => !matches(value(row)) : (row) => matches(value(row))
}

function mayLackField(dialect: CdxDialect, wanted: string): boolean {
  return dialect === 'pywb' && wanted !== '' && !wanted.includes(':')
}

function matcher(dialect: CdxDialect, mark: string, wanted: string): (value: string) => boolean {
  if (mark === '=') return (value) => value === wanted
  if (mark === '' && dialect === 'pywb') return (value) => value.includes(wanted)
  const pattern = patternOf(wanted, mark === '~' ? 'start' : 'whole')
  return (value) => pattern.test(value)
}

/** `anchored`: `whole` as Java's `matches`, `start` as Python's `match`. */
function patternOf(source: string, anchored: 'whole' | 'start'): LinearPattern {
  if (source.length > patternCharsMax)
    throw unusable(source, `it has more than ${patternCharsMax} characters`)
  try {
    return linearPattern(source, anchored)
  } catch (error) {
    if (error instanceof PatternRefused) throw unusable(source, error.reason)
    throw error
  }
}

function unusable(source: string, why: string): ApiError {
  return new ApiError(
    'request-bad-parameter',
    `${quoted(source)} cannot be used as a regular expression: ${why}.`,
  )
}
