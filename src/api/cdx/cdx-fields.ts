// The fields of a CDX line, under the names of both dialects.

import { fetchedAs, fetchedUrl } from '../../formats/http/request-query.ts'
import { type ArchivedCapture, isRevisit } from '../../model/archive.ts'
import { printDigest } from '../../model/digest.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import { ApiError, quoted } from '../api-error.ts'

/** A capture in a result, with what the query adds to it. */
export interface CdxRow {
  readonly capture: ArchivedCapture
  /** Revisits under the type of what they repeat. */
  readonly isResolved: boolean
  /** The capture that a revisit repeats, as far as the result has it. */
  readonly original: ArchivedCapture | undefined
  /** Captures of the same URL and content before it in the result. */
  readonly dupeCount: number
  /** Captures behind it that filters and collapsing left out, and when the last of them was. */
  skipCount: number
  skippedAtMs: number | undefined
}

type Print = (row: CdxRow) => string

const unknown = '-'

const prints = {
  urlkey: ({ capture }) => capture.surt,
  timestamp: ({ capture }) => printTimestamp(capture.capturedAtMs),
  url: ({ capture }) => fetchedUrl(capture.url),
  mime: ({ capture, isResolved }) =>
    isRevisit(capture) && !isResolved ? 'warc/revisit' : capture.mime || unknown,
  status: ({ capture }) => (capture.status === 0 ? unknown : String(capture.status)),
  digest: ({ capture }) => (capture.content === undefined ? unknown : printDigest(capture.content.digest)),
  length: ({ capture }) => String(capture.storedBytes),
  // Records move when volumes are compacted: where one lies now is nobody's business but the store's.
  offset: () => unknown,
  filename: () => unknown,
  // Of what was no GET.
  method: ({ capture }) => fetchedAs(capture.url)?.method ?? unknown,
  requestBody: ({ capture }) => fetchedAs(capture.url)?.requestBody || unknown,
  redirect: () => unknown,
  robotflags: () => unknown,
  'orig.length': ({ original }) => (original === undefined ? unknown : String(original.storedBytes)),
  'orig.offset': () => unknown,
  'orig.filename': () => unknown,
  dupecount: ({ dupeCount }) => String(dupeCount),
  skipcount: ({ skipCount }) => String(skipCount),
  endtimestamp: ({ skippedAtMs }) => (skippedAtMs === undefined ? unknown : printTimestamp(skippedAtMs)),
} satisfies Record<string, Print>

export type CdxField = keyof typeof prints

/** What the Internet Archive calls them. */
const waybackNames: Partial<Record<CdxField, string>> = {
  url: 'original',
  mime: 'mimetype',
  status: 'statuscode',
}
const byWaybackName = new Map(
  Object.entries(waybackNames).map(([field, name]) => [name, field as CdxField] as const),
)

export function fieldNamed(name: string): CdxField {
  const field = Object.hasOwn(prints, name) ? (name as CdxField) : byWaybackName.get(name)
  if (field !== undefined) return field
  throw new ApiError(
    'request-bad-parameter',
    `${quoted(name)} is no field. There are ${Object.keys(prints).join(', ')}; url, mime and status are also called original, mimetype and statuscode.`,
  )
}

export function nameIn(dialect: CdxDialect, field: CdxField): string {
  return dialect === 'wayback' ? (waybackNames[field] ?? field) : field
}

export function fieldValue(field: CdxField, row: CdxRow): string {
  return prints[field](row)
}

/** `wayback`: the Internet Archive's CDX server. `pywb`: that of pywb. */
export type CdxDialect = 'wayback' | 'pywb'

/** The columns of a CDX file, which is what pywb's `output=text` is. */
export const cdxColumns: readonly CdxField[] = [
  ...(['urlkey', 'timestamp', 'url', 'mime', 'status', 'digest'] as const),
  ...(['redirect', 'robotflags', 'length', 'offset', 'filename'] as const),
]

/** What pywb calls fields besides, in filters. */
const shortNames: Readonly<Record<string, CdxField>> = {
  u: 'url',
  m: 'mime',
  s: 'length',
  l: 'length',
  o: 'offset',
  d: 'digest',
  t: 'timestamp',
  k: 'urlkey',
  f: 'filename',
}

export function filteredField(dialect: CdxDialect, name: string): CdxField {
  const short = dialect === 'pywb' && Object.hasOwn(shortNames, name) ? shortNames[name] : undefined
  return short ?? fieldNamed(name)
}

export const fieldsDefault: Record<CdxDialect, readonly CdxField[]> = {
  wayback: ['urlkey', 'timestamp', 'url', 'mime', 'status', 'digest', 'length'],
  pywb: [
    ...(['urlkey', 'timestamp', 'url', 'mime', 'status', 'digest', 'length', 'offset', 'filename'] as const),
    ...(['method', 'requestBody'] as const),
  ],
}
