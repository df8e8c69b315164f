// Typed builders: one function per record type, each giving a record that any WARC 1.1 reader accepts.
//
// Ids and dates come from the caller, so that nothing here is random and the same input gives the same record.
// Digests are SHA-256, computed here for blocks in memory unless the caller knows them; a block that flows by must
// bring its own. A value that would break the record is a WarcRefusal, never written.

import { type Digest, digestOf, printDigest } from '../../model/digest.ts'
import { type Field, FieldList } from '../http/field-list.ts'
import { WarcRefusal } from './damage.ts'
import { payloadOf } from './payload.ts'
import {
  httpRequestType,
  httpResponseType,
  type RevisitKind,
  revisitProfiles,
  type WarcBlock,
  type WarcRecord,
  type WarcType,
  warcFieldsType,
} from './record.ts'
import { printWarcFields } from './warc-fields.ts'

export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified'

/** What every record says of itself. */
interface RecordIdentity {
  /** A UUID, as Random.uuid gives it. */
  readonly id: string
  /** UTC to the second or finer: `2024-05-06T07:08:09.123Z`. */
  readonly date: string
  /** Id of the warcinfo record of the file. */
  readonly warcinfoId?: string | undefined
}

/** What was captured, where from, and how. */
export interface CaptureContext extends RecordIdentity {
  readonly targetUri: string
  readonly ipAddress?: string | undefined
  /** As proposed for WARC 1.2: `http/1.1`, `h2`, `tls/1.3`. */
  readonly protocols?: readonly string[] | undefined
  readonly truncated?: Truncation | undefined
  /** Ids of records of the same capture. */
  readonly concurrentTo?: readonly string[] | undefined
}

export interface BlockInput<Block extends WarcBlock> {
  readonly block: Block
  /** 'none': the record is to go without, for it costs more than it is worth there. */
  readonly blockDigest?: Digest | 'none' | undefined
  readonly payloadDigest?: Digest | undefined
}

/** Says what wrote the file, and how. `filename` is the file's own name. */
export function warcinfo(
  input: RecordIdentity & { filename?: string | undefined; fields: readonly Field[] },
): WarcRecord {
  const fields: Field[] = input.filename === undefined ? [] : [['WARC-Filename', input.filename]]
  return build('warcinfo', input, fields, warcFieldsType, { block: printWarcFields(input.fields) }, false)
}

export function response<Block extends WarcBlock>(
  input: CaptureContext & BlockInput<Block> & { contentType?: string | undefined },
): WarcRecord<Block> {
  return build('response', input, contextFields(input), input.contentType ?? httpResponseType, input, true)
}

export function request<Block extends WarcBlock>(
  input: CaptureContext & BlockInput<Block>,
): WarcRecord<Block> {
  return build('request', input, contextFields(input), httpRequestType, input, false)
}

/** Content that came without HTTP, or was made rather than fetched. */
export function resource<Block extends WarcBlock>(
  input: CaptureContext & BlockInput<Block> & { contentType: string },
): WarcRecord<Block> {
  return build('resource', input, contextFields(input), input.contentType, input, true)
}

export function metadata(
  input: RecordIdentity &
    Partial<CaptureContext> & { refersToId?: string | undefined; fields: readonly Field[] },
): WarcRecord {
  const fields = input.targetUri === undefined ? [] : contextFields({ ...input, targetUri: input.targetUri })
  if (input.refersToId !== undefined) fields.push(['WARC-Refers-To', printRecordId(input.refersToId)])
  return build('metadata', input, fields, warcFieldsType, { block: printWarcFields(input.fields) }, false)
}

export interface Revisited {
  readonly id?: string | undefined
  readonly targetUri: string
  readonly date: string
}

/** Block: the HTTP head that came this time and, for a delta, the zstd frame. The digest is that of the payload that
 * the reader gets in the end; a 304 may come without one. */
export function revisit<Block extends WarcBlock>(
  input: CaptureContext & BlockInput<Block> & { kind: RevisitKind; refersTo: Revisited },
): WarcRecord<Block> {
  if (input.kind !== 'server-not-modified' && input.payloadDigest === undefined) {
    throw new WarcRefusal('warc-bad-field', `a revisit of kind ${input.kind} needs the payload's digest`)
  }
  const { refersTo } = input
  const fields = contextFields(input)
  fields.push(['WARC-Profile', revisitProfiles[input.kind]])
  if (refersTo.id !== undefined) fields.push(['WARC-Refers-To', printRecordId(refersTo.id)])
  fields.push(['WARC-Refers-To-Target-URI', checkUri(refersTo.targetUri)])
  fields.push(['WARC-Refers-To-Date', checkDate(refersTo.date)])
  return build('revisit', input, fields, httpResponseType, input, false)
}

/** Content of another record in another form. */
export function conversion<Block extends WarcBlock>(
  input: CaptureContext & BlockInput<Block> & { contentType: string; refersToId?: string | undefined },
): WarcRecord<Block> {
  const fields = contextFields(input)
  if (input.refersToId !== undefined) fields.push(['WARC-Refers-To', printRecordId(input.refersToId)])
  return build('conversion', input, fields, input.contentType, input, true)
}

/** A further part of a record that was cut up. `totalLength` belongs on the last part. */
export function continuation<Block extends WarcBlock>(
  input: CaptureContext &
    BlockInput<Block> & { originId: string; segmentNumber: number; totalLength?: number | undefined },
): WarcRecord<Block> {
  const fields = contextFields(input)
  fields.push(['WARC-Segment-Origin-ID', printRecordId(input.originId)])
  fields.push(['WARC-Segment-Number', String(input.segmentNumber)])
  if (input.totalLength !== undefined) fields.push(['WARC-Segment-Total-Length', String(input.totalLength)])
  return build('continuation', input, fields, undefined, input, false)
}

/** `<urn:uuid:…>`, as record ids stand in a file. */
function printRecordId(id: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    throw new WarcRefusal('warc-bad-record-id', `${JSON.stringify(id)} is not a UUID`)
  }
  return `<urn:uuid:${id}>`
}

function contextFields(context: Omit<CaptureContext, 'id' | 'date'>): Field[] {
  const fields: Field[] = [['WARC-Target-URI', checkUri(context.targetUri)]]
  for (const id of context.concurrentTo ?? []) fields.push(['WARC-Concurrent-To', printRecordId(id)])
  if (context.ipAddress !== undefined) fields.push(['WARC-IP-Address', context.ipAddress])
  for (const protocol of context.protocols ?? []) fields.push(['WARC-Protocol', protocol])
  if (context.truncated !== undefined) fields.push(['WARC-Truncated', context.truncated])
  return fields
}

function build<Block extends WarcBlock>(
  type: WarcType,
  identity: RecordIdentity,
  extra: readonly Field[],
  contentType: string | undefined,
  input: BlockInput<Block>,
  digestsPayload: boolean,
): WarcRecord<Block> {
  const { block } = input
  const fields: Field[] = [
    ['WARC-Type', type],
    ['WARC-Record-ID', printRecordId(identity.id)],
    ['WARC-Date', checkDate(identity.date)],
    ...extra,
  ]
  if (identity.warcinfoId !== undefined) fields.push(['WARC-Warcinfo-ID', printRecordId(identity.warcinfoId)])
  const blockDigest = blockDigestOf(input)
  if (blockDigest !== undefined) fields.push(['WARC-Block-Digest', printDigest(blockDigest)])
  if (contentType !== undefined) fields.push(['Content-Type', contentType])
  const payloadDigest =
    input.payloadDigest ?? (digestsPayload ? digestPayload(fields, block, blockDigest) : undefined)
  if (payloadDigest !== undefined) fields.push(['WARC-Payload-Digest', printDigest(payloadDigest)])
  fields.push(['Content-Length', String(block.length)])
  return { version: '1.1', fields: new FieldList(fields), block }
}

function blockDigestOf({ block, blockDigest }: BlockInput<WarcBlock>): Digest | undefined {
  if (blockDigest === 'none') return undefined
  return blockDigest ?? (block instanceof Uint8Array ? digestOf('sha256', block) : undefined)
}

function digestPayload(
  fields: Field[],
  block: WarcBlock,
  blockDigest: Digest | undefined,
): Digest | undefined {
  if (!(block instanceof Uint8Array)) return undefined
  const payload = payloadOf({ version: '1.1', fields: new FieldList(fields), block })
  return (payload === block ? blockDigest : undefined) ?? digestOf('sha256', payload)
}

function checkDate(date: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(date)) {
    throw new WarcRefusal('warc-bad-date', `${JSON.stringify(date)} is not a UTC date as WARC 1.1 writes it`)
  }
  return date
}

function checkUri(uri: string): string {
  if (!/^[a-z][a-z0-9+.-]*:[^\x00-\x20\x7f]*$/i.test(uri)) {
    throw new WarcRefusal('warc-bad-target-uri', `${JSON.stringify(uri)} is not a URI`)
  }
  return uri
}
