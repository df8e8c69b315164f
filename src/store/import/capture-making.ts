// The records of one capture in an archive → the capture as the store takes it.
//
// What a source says of itself is not believed to be well formed: fields that we could not write again are left out.
// Record ids are kept where they are UUIDs; of others a UUID is made, always the same one, so that importing twice
// finds what is there.

import { createHash } from 'node:crypto'
import { type Field, type FieldList, fieldFault } from '../../formats/http/field-list.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { indexUrl, queryOfRequest } from '../../formats/http/request-query.ts'
import { urlOfTarget, urlOfViewTarget } from '../../formats/warc/page-views.ts'
import { contentOf, holdsHttp } from '../../formats/warc/payload.ts'
import {
  dateOf,
  recordIdOf,
  revisitTargetOf,
  targetUriOf,
  typeOf,
  warcFieldsType,
} from '../../formats/warc/record.ts'
import type { Truncation } from '../../formats/warc/record-builder.ts'
import { parseWarcFields } from '../../formats/warc/warc-fields.ts'
import { type Digest, printDigest } from '../../model/digest.ts'
import { parseWarcDate, TimestampError } from '../../model/timestamp.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import { printUuid } from '../../model/uuid.ts'
import type { NewCapture } from '../capture.ts'
import { payloadElsewhere } from '../elsewhere/elsewhere-mark.ts'
import { importedByIn, isImportedRevisit } from '../records/import-mark.ts'
import { proofIn } from '../records/proof-mark.ts'
import { filedUrl } from '../records/request-mark.ts'
import { earlierIn, payloadDigestIn } from '../records/revisited.ts'
import type { SkipReason } from './import-result.ts'
import type { RecordGroup } from './pairing.ts'
import type { ReadRecord } from './read-record.ts'

/** What is to become of a record, as far as its head tells. `content`: bytes without URL, of a volume of ours. */
type Fate = 'capture' | 'companion' | 'content' | SkipReason

export function fateOf(record: { fields: FieldList }): Fate {
  const target = targetUriOf(record) ?? ''
  const isHttp = /^https?:/i.test(target)
  const isView = urlOfViewTarget(target) !== undefined
  switch (typeOf(record)) {
    case 'resource':
      if (/^urn:sha256:[0-9a-f]{64}(?:\.\d+)?$/.test(target)) return 'content'
      return isHttp || isView ? 'capture' : 'not-http'
    case 'revisit':
      return isHttp || isView ? 'capture' : 'not-http'
    case 'response':
      return isHttp ? 'capture' : 'not-http'
    case 'request':
    case 'metadata':
      return isHttp ? 'companion' : 'not-http'
    case 'warcinfo':
      return 'warcinfo'
    case 'conversion':
      return 'conversion'
    case 'continuation':
      return 'continuation'
    case undefined:
      return 'unknown-type'
  }
}

/** A reason to skip instead, if the store could not take it. A delta of ours must have been undone before. `isForeign`: whether
 * it was a GET is told by the request. What a store gave us is filed as it is there, or the two would never agree. */
export function captureIn(group: RecordGroup, { isForeign = false } = {}): NewCapture | SkipReason {
  const { main, request } = group
  const { fields } = main
  const target = targetUriOf(main) ?? ''
  const fetched = tryParseUrl(target)
  const filed = filedUrl(main)
  if (filed === null) return 'bad-url'
  const url = isForeign && request && filed.href === fetched?.href ? asked(fetched, request) : filed
  const capturedAtMs = momentOf(main)
  if (capturedAtMs === undefined) return 'bad-date'
  const metadata = group.metadata && metadataFields(group.metadata)
  return {
    url,
    targetUri: url.href === fetched?.href ? undefined : (fetched?.href ?? target),
    capturedAtMs,
    block: main.block,
    contentType: contentTypeOf(main),
    revisit: typeOf(main) === 'revisit' ? revisitOf(main) : undefined,
    request: request?.isCut ? undefined : (request?.block as Uint8Array | undefined),
    metadata: metadata?.length ? metadata : undefined,
    ipAddress: addressIn(main),
    protocols: protocolsOf(fields),
    truncated: truncationOf(main),
    recordId: recordUuid(main),
    importedBy: importedByIn(main),
    ...proofIn(main),
    isImportedRevisit: isForeign ? typeOf(main) === 'revisit' : isImportedRevisit(main),
  }
}

/** The URL with what the request has beyond a GET. */
function asked(url: Url, { fields, block }: ReadRecord): Url {
  if (!(block instanceof Uint8Array)) return url
  const query = queryOfRequest(block, contentOf({ fields, block }).payload)
  return query === undefined ? url : indexUrl(url, query)
}

export function momentOf(record: { fields: FieldList }): number | undefined {
  try {
    return parseWarcDate(dateOf(record) ?? '')
  } catch (error) {
    if (error instanceof TimestampError) return undefined
    throw error
  }
}

/** Whether a metadata record is made of fields, as ours are. */
export function holdsFields(record: { fields: FieldList }): boolean {
  const type = record.fields.get('Content-Type')
  return type === undefined || type.toLowerCase().startsWith(warcFieldsType)
}

/** undefined for an answer with an HTTP head. */
function contentTypeOf(main: ReadRecord): string | undefined {
  const start = main.block instanceof Uint8Array ? main.block : main.block.head
  if (holdsHttp(main) && parseHttpHead(start) !== undefined) return undefined
  // Old tools write revisits with nothing in them: the type is that of what they repeat.
  if (typeOf(main) === 'revisit') return ''
  const type = main.fields.get('Content-Type')
  const isKnown = type !== undefined && !holdsHttp(main) && fieldFault('Content-Type', type) === undefined
  return isKnown ? type : 'application/octet-stream'
}

function revisitOf(main: ReadRecord): NewCapture['revisit'] {
  const target = revisitTargetOf(main)!
  const payloadDigest = payloadDigestIn(main)
  const isSame = target.kind !== 'server-not-modified' && payloadDigest !== undefined
  const earlier = earlierIn(main)
  return {
    kind: isSame ? 'same' : 'not-modified',
    of: earlier && urlOfTarget(earlier.url) ? earlier : undefined,
    payloadDigest,
    elsewhereBytes: payloadElsewhere(main)?.sizeBytes,
  }
}

function metadataFields(record: ReadRecord): Field[] {
  if (!(record.block instanceof Uint8Array)) return []
  return [...parseWarcFields(record.block)].filter(([name, value]) => fieldFault(name, value) === undefined)
}

export function addressIn({ fields }: { fields: FieldList }): string | undefined {
  return writable(fields.get('WARC-IP-Address'), /^[0-9a-f.:]{2,45}$/i)
}

function protocolsOf(fields: FieldList): string[] | undefined {
  const protocols = fields
    .getAll('WARC-Protocol')
    .filter((text) => fieldFault('WARC-Protocol', text) === undefined)
  return protocols.length > 0 ? protocols : undefined
}

/** A revisit of a known payload is cut to its head, and says so: that is not what became of the answer. */
function truncationOf(main: ReadRecord): Truncation | undefined {
  // The rest lies in continuation records, which nobody has put together again.
  if (main.fields.has('WARC-Segment-Number')) return 'unspecified'
  const text = main.fields.get('WARC-Truncated')?.toLowerCase()
  if (text === undefined || (typeOf(main) === 'revisit' && text === 'length')) return undefined
  return text === 'length' || text === 'time' || text === 'disconnect' ? text : 'unspecified'
}

export function recordUuid(record: { fields: FieldList }): string {
  const id = recordIdOf(record) ?? nameWithoutId(record)
  return uuidIn(id) ?? uuidOf(id)
}

/** Of a record whose id another one has as well, with other bytes. */
export function recordUuidOf(id: string, payload: Digest): string {
  return uuidOf(`${id} ${printDigest(payload)}`)
}

function uuidOf(name: string): string {
  return printUuid(createHash('sha256').update(name).digest().subarray(0, 16))
}

/** Old tools left the id out. */
function nameWithoutId(record: { fields: FieldList }): string {
  return [
    'without id',
    typeOf(record),
    targetUriOf(record),
    dateOf(record),
    record.fields.get('Content-Length'),
  ].join(' ')
}

function uuidIn(id: string | undefined): string | undefined {
  const match = /^<?(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>?$/i.exec(id ?? '')
  return match?.[1]?.toLowerCase()
}

function writable(text: string | undefined, pattern: RegExp): string | undefined {
  return text !== undefined && pattern.test(text) ? text : undefined
}
