// A WARC record, as read or to be written, and the names that its fields use.
//
// A record is its version line, its fields in order and its block. The block is in memory, or flows by once.
// What the fields say is asked through the functions here, which know the spellings that tools really use.

import type { FieldList } from '../http/field-list.ts'

const warcTypes = [
  'warcinfo',
  'response',
  'resource',
  'request',
  'metadata',
  'revisit',
  'conversion',
  'continuation',
] as const
export type WarcType = (typeof warcTypes)[number]

/** Block bytes too many to hold: read once, in order, before the next record is asked for. */
export interface StreamedBlock extends AsyncIterable<Uint8Array> {
  readonly length: number
}

export type WarcBlock = Uint8Array | StreamedBlock

export interface WarcRecord<Block extends WarcBlock = Uint8Array> {
  /** As in the version line: `1.1`. */
  readonly version: string
  readonly fields: FieldList
  readonly block: Block
}

export const httpResponseType = 'application/http; msgtype=response'
export const httpRequestType = 'application/http; msgtype=request'
export const warcFieldsType = 'application/warc-fields'

/** Why a revisit record has no full payload of its own. */
export type RevisitKind = 'identical-payload-digest' | 'server-not-modified' | 'delta-zstd'

/** Profiles as we write them. The delta profile is this project's own: its block is HTTP headers, then one zstd frame
 * made with the payload of the capture that WARC-Refers-To names as dictionary. */
export const revisitProfiles: Record<RevisitKind, string> = {
  'identical-payload-digest': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
  'server-not-modified': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
  'delta-zstd': 'https://polyhistor.org/warc/1.1/revisit/delta-zstd',
}

// `/revisit` is missing in an example of the specification, and tools have copied it.
const profilePattern =
  /^https?:\/\/(?:netpreserve\.org|polyhistor\.org)\/warc\/1\.[01](?:\/revisit)?\/(identical-payload-digest|server-not-modified|delta-zstd)\/?$/

/** undefined for a type outside the standard: the record is to be passed over, not refused. */
export function typeOf(record: { fields: FieldList }): WarcType | undefined {
  const type = record.fields.get('WARC-Type')?.toLowerCase()
  return warcTypes.find((known) => known === type)
}

/** Without the angle brackets that wget puts around it. */
export function targetUriOf(record: { fields: FieldList }): string | undefined {
  return bare(record.fields.get('WARC-Target-URI'))
}

/** With its angle brackets, as WARC-Concurrent-To and WARC-Refers-To repeat it. */
export function recordIdOf(record: { fields: FieldList }): string | undefined {
  return record.fields.get('WARC-Record-ID')
}

/** Text of the date as it stands. */
export function dateOf(record: { fields: FieldList }): string | undefined {
  return record.fields.get('WARC-Date')
}

interface RevisitTarget {
  kind: RevisitKind | undefined
  profile: string | undefined
  recordId: string | undefined
  targetUri: string | undefined
  date: string | undefined
}

/** What a revisit record points at; undefined for every other type. */
export function revisitTargetOf(record: { fields: FieldList }): RevisitTarget | undefined {
  if (typeOf(record) !== 'revisit') return undefined
  const { fields } = record
  const profile = bare(fields.get('WARC-Profile'))
  return {
    kind: profilePattern.exec(profile ?? '')?.[1] as RevisitKind | undefined,
    profile,
    recordId: fields.get('WARC-Refers-To'),
    targetUri: bare(fields.get('WARC-Refers-To-Target-URI')),
    date: fields.get('WARC-Refers-To-Date'),
  }
}

function bare(uri: string | undefined): string | undefined {
  return uri?.startsWith('<') && uri.endsWith('>') ? uri.slice(1, -1) : uri
}
