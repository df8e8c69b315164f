// A CDX query: the parameters of both dialects, checked, with the URL turned into what the archive can scan.

import { type TimeSpan, timestampSpan } from '../../model/timestamp.ts'
import { ApiError, badParameter, quoted } from '../api-error.ts'
import { Flags } from '../query-values.ts'
import { type CdxDialect, type CdxField, cdxColumns, fieldNamed, fieldsDefault } from './cdx-fields.ts'
import { type CdxFilter, parseFilters } from './cdx-filter.ts'
import { type CdxTarget, cutShort, inPywbsWords, targetOf } from './cdx-target.ts'

type CdxOutput = 'json' | 'cdxj' | 'link' | 'text'

interface CdxCollapse {
  readonly field: CdxField
  /** The first so many characters; all when undefined. */
  readonly length: number | undefined
}

export interface CdxQuery extends CdxTarget {
  readonly dialect: CdxDialect
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  /** Negative: the last so many. */
  readonly limit: number | undefined
  readonly offset: number
  readonly order: 'forward' | 'reverse' | { readonly closest: TimeSpan }
  readonly filters: readonly CdxFilter[]
  readonly collapses: readonly CdxCollapse[]
  readonly fields: readonly CdxField[]
  readonly output: CdxOutput
  readonly page: number | undefined
  /** Blocks of blockLines lines. */
  readonly pageSize: number
  readonly shows: 'lines' | 'page-count' | 'paged-index'
  readonly showsResumeKey: boolean
  readonly resume: { readonly after: string; readonly collapsed: string | undefined } | undefined
  readonly resolvesRevisits: boolean
  readonly countsDupes: boolean
  /** Whether skipped lines are counted: then a row waits for those behind it. */
  readonly countsSkips: boolean
  readonly allowsGzip: boolean
}

export const blockLines = 3_000
/** Lines that a query keeps in memory: those of `limit=-N`, and of `sort=reverse` and `closest` over many URLs. */
export const keptLinesMax = 10_000
const pageSizeDefault = 5
const resumePattern = /^([\w-]{40,3000})(?:\.([0-9a-f]{16}))?$/

export function parseCdxQuery(dialect: CdxDialect, query: URLSearchParams): CdxQuery {
  const flags = new Flags(query)
  const target = targetOf(dialect, query)
  const countsDupes = flags.isOn('showDupeCount')
  const skipFields: CdxField[] = [
    ...(flags.isOn('showSkipCount') ? (['skipcount'] as const) : []),
    ...(flags.isOn('lastSkipTimestamp') ? (['endtimestamp'] as const) : []),
  ]
  const resolvesRevisits = flags.isOn('resolveRevisits')
  const added: CdxField[] = [
    ...(resolvesRevisits ? (['orig.length', 'orig.offset', 'orig.filename'] as const) : []),
    ...(countsDupes ? (['dupecount'] as const) : []),
    ...skipFields,
  ]
  const output = outputOf(dialect, query)
  const fields = fieldsOf(dialect, query, added, output)
  const parsed: CdxQuery = {
    dialect,
    ...target,
    ...spanOf(query),
    limit: limitOf(flags),
    offset: flags.count('offset') ?? 0,
    order: orderOf(dialect, query, flags),
    filters: parseFilters(dialect, query.getAll('filter')),
    collapses: collapsesOf(query),
    fields,
    output,
    page: flags.count('page'),
    pageSize: flags.count('pageSize') || pageSizeDefault,
    shows: flags.isOn('showNumPages') ? 'page-count' : flags.isOn('showPagedIndex') ? 'paged-index' : 'lines',
    showsResumeKey: flags.isOn('showResumeKey'),
    resume: resumeOf(query),
    resolvesRevisits,
    countsDupes: countsDupes || fields.includes('dupecount'),
    countsSkips: skipFields.length > 0 || fields.includes('skipcount') || fields.includes('endtimestamp'),
    allowsGzip: query.get('gzip') !== 'false',
  }
  // Accepted, and nothing to do: the latest captures of a URL are found without reading the others anyway.
  flags.isOn('fastLatest')
  checkTogether(parsed)
  return parsed
}

function spanOf(query: URLSearchParams): Pick<CdxQuery, 'fromMs' | 'toMs'> {
  const from = momentsOf(query, 'from')
  const to = momentsOf(query, 'to')
  if (from !== undefined && to !== undefined && from.fromMs >= to.toMs)
    throw new ApiError('request-bad-parameter', 'from is later than to: write the earlier time first.')
  return { fromMs: from?.fromMs, toMs: to?.toMs }
}

function momentsOf(query: URLSearchParams, name: string) {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^[0-9]{1,14}$/.test(text)) throw badParameter(name, text, '1 to 14 digits, such as 20200131')
  return timestampSpan(text)
}

function limitOf(flags: Flags): number | undefined {
  const limit = flags.integer('limit')
  if (limit === 0) throw badParameter('limit', '0', 'a whole number other than 0, negative for the last ones')
  return limit
}

function orderOf(dialect: CdxDialect, query: URLSearchParams, flags: Flags): CdxQuery['order'] {
  const sort = query.get('sort') ?? ''
  if (sort !== '' && sort !== 'default' && sort !== 'reverse' && sort !== 'closest')
    throw badParameter('sort', sort, 'reverse or closest')
  const closest = momentsOf(query, 'closest')
  const isReverse = sort === 'reverse' || flags.isOn('reverse')
  // Of both, pywb takes this one.
  if (closest !== undefined && (dialect === 'pywb' || !isReverse)) return { closest }
  if (isReverse) return 'reverse'
  if (sort === 'closest')
    throw new ApiError('request-bad-parameter', 'sort=closest needs to know to what: closest=20200131, say.')
  return 'forward'
}

/** `collapse=timestamp:8`; pywb's `collapseTime=8` is by time and status. */
function collapsesOf(query: URLSearchParams): CdxCollapse[] {
  const time = new Flags(query).count('collapseTime')
  const byTime: CdxCollapse[] =
    time === undefined || time === 0
      ? []
      : [
          { field: 'timestamp', length: time },
          { field: 'status', length: undefined },
        ]
  const texts = query.getAll('collapse').filter((text) => text !== '')
  return [
    ...byTime,
    ...texts.map((text): CdxCollapse => {
      const match = /^([\w.]+)(?::([1-9][0-9]{0,3}))?$/.exec(text)
      if (match === null)
        throw badParameter('collapse', text, 'a field, or FIELD:N for its first N characters')
      return { field: fieldNamed(match[1]!), length: match[2] === undefined ? undefined : Number(match[2]) }
    }),
  ]
}

function fieldsOf(
  dialect: CdxDialect,
  query: URLSearchParams,
  added: readonly CdxField[],
  output: CdxOutput,
): CdxField[] {
  const usual = dialect === 'pywb' && output === 'text' ? cdxColumns : fieldsDefault[dialect]
  const written = query.get('fl') ?? query.get('fields') ?? ''
  const names = written.split(',').filter((name) => name !== '')
  const chosen = names.length === 0 ? usual : names.map(fieldNamed)
  return [...new Set([...chosen, ...added])]
}

function outputOf(dialect: CdxDialect, query: URLSearchParams): CdxOutput {
  const written = query.get('output') ?? ''
  const outputs: readonly CdxOutput[] = ['json', 'cdxj', 'link', 'text']
  const output = outputs.find((known) => known === written)
  if (output === undefined && written !== '') {
    if (dialect === 'pywb') throw inPywbsWords(`output=${cutShort(written)} not supported`)
    throw badParameter('output', written, `one of ${outputs.join(', ')}`)
  }
  return output ?? (dialect === 'pywb' ? 'cdxj' : 'text')
}

function resumeOf(query: URLSearchParams): CdxQuery['resume'] {
  const key = query.get('resumeKey') ?? ''
  if (key === '') return undefined
  const match = resumePattern.exec(key)
  if (match === null) throw badParameter('resumeKey', key, 'one that an earlier answer ended with')
  return { after: match[1]!, collapsed: match[2] }
}

/** What each parameter allows by itself may make no sense together, or cost more than anybody should. */
function checkTogether(query: CdxQuery): void {
  const { order, limit, url, page, showsResumeKey, resume } = query
  const refuse = (sentence: string): never => {
    throw new ApiError('request-bad-parameter', sentence)
  }
  const isForward = order === 'forward' && (limit ?? 0) >= 0
  if (!isForward && page !== undefined) refuse('Pages go forward: page goes with neither sort nor limit=-N.')
  if (!isForward && (showsResumeKey || resume !== undefined))
    refuse('A resume key goes on forward: it goes with neither sort nor limit=-N.')
  if (order !== 'forward' && (limit ?? 0) < 0)
    refuse('limit=-N asks for the end of a list that goes forward.')
  if (Math.abs(limit ?? 0) > keptLinesMax && !isForward)
    refuse(`The last lines, and sorted ones, come at most ${keptLinesMax} at a time: use a smaller limit.`)
  // pywb gives as many as it keeps, then.
  const isOpen = url === undefined && limit === undefined && query.dialect === 'wayback'
  if (typeof order === 'object' && url === undefined && query.dialect === 'wayback')
    refuse('sort=closest is about one URL: it goes with matchType=exact.')
  if (order === 'reverse' && isOpen)
    refuse(`sort=reverse over many URLs needs a limit, of at most ${keptLinesMax}.`)
  if (query.pageSize > 1_000)
    refuse(`pageSize is ${quoted(String(query.pageSize))}, but must be at most 1000.`)
}
