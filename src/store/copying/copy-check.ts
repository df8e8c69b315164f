// Looks into copies of captures that came from elsewhere: is every byte of them right, and what do they say?
//
// Nothing here knows a store, so that it can be done in any thread. What is plain (a capture with its payload, which has its
// digest, or one that says that its payload is another's) comes out as all that an index must know; of anything else, damaged or a
// delta, nothing is said, and whoever keeps it looks for itself.
//
// Nearly all of the time goes into inflating and digesting. So of an answer in gzip, which has a checksum over all that is in it,
// the payload is digested and not the block as well: who would send another head could write another block digest, too. A scrub
// digests blocks.

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isChunked, parseStatusLine } from '../../formats/http/http-message.ts'
import { looksLikeGzip } from '../../formats/warc/compression/gzip-member.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { contentOf } from '../../formats/warc/payload.ts'
import { revisitTargetOf, typeOf } from '../../formats/warc/record.ts'
import type { Revisited } from '../../formats/warc/record-builder.ts'
import { digestHex } from '../../model/digest.ts'
import type { NewCapture } from '../capture.ts'
import type { EnteredCapture, EnteredFacts } from '../capture-indexing.ts'
import { sha256Digest } from '../contents/content-digest.ts'
import { payloadElsewhere } from '../elsewhere/elsewhere-mark.ts'
import { addressIn, captureIn, momentOf, recordUuid } from '../import/capture-making.ts'
import type { ReadRecord } from '../import/read-record.ts'
import { type AnswerFacts, factsOf, mimeOf } from '../reading/answer-facts.ts'
import { importedByIn, isImportedRevisit } from '../records/import-mark.ts'
import {
  certificateIn,
  checkSignature,
  factsToSign,
  isSignatureRight,
  signatureIn,
} from '../records/proof-mark.ts'
import { filedUrl } from '../records/request-mark.ts'
import { payloadDigestIn } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'
import { checkDigests, readCopy } from './copied-records.ts'

/** Copies behind one another. */
export interface CopiesToCheck {
  readonly bytes: Uint8Array
  readonly lengths: readonly number[]
}

export interface CheckedCopies {
  /** Those that were given. */
  readonly bytes: Uint8Array
  /** Of each, as text for `plainCopiesIn`: objects take several times as long on their way between threads. */
  readonly told: string
}

/** A capture that can be kept as it came. */
export interface PlainCopy {
  readonly capture: EnteredCapture & { readonly recordId: string }
  /** Of a revisit the size of its payload is not known here. */
  readonly facts: EnteredFacts
  /** Of a revisit: what it says has the same payload. Without it every byte of the payload is here, and right. */
  readonly refersTo?: Revisited | undefined
  /** Hex digits of the payload's digest. */
  readonly digest: string
  /** Of its main record, as it came. */
  readonly mainBytes: number
  /** CRC-32 of all of it. */
  readonly checksum: number
}

type Told = Omit<PlainCopy, 'facts'> & { readonly facts: Omit<EnteredFacts, 'payloadDigest'> }

export function checkCopies({ bytes, lengths }: CopiesToCheck): CheckedCopies {
  let at = 0
  const told = lengths.map((length) => checkCopy(bytes.subarray(at, (at += length))))
  return { bytes, told: JSON.stringify(told) }
}

/** Of each; undefined when it is not plain. */
export function plainCopiesIn({ told }: CheckedCopies): (PlainCopy | undefined)[] {
  return (JSON.parse(told) as (Told | null)[]).map((one) => {
    if (one === null) return undefined
    const payloadDigest = { algorithm: 'sha256', bytes: Buffer.from(one.digest, 'hex') } as const
    return { ...one, facts: { ...one.facts, payloadDigest } }
  })
}

function checkCopy(bytes: Uint8Array): Told | undefined {
  try {
    const read = looksLikeGzip(bytes) ? answerIn(bytes) : 'otherwise'
    return read === 'otherwise' ? plainCopyIn(bytes) : read
  } catch (error) {
    if (error instanceof WarcDamage || error instanceof StoreError) return undefined
    throw error
  }
}

/** Records are looked at and forgotten: memory that is taken for each and given back costs as much as a digest. */
const memoryBytes = 1024 * 1024
let memory: Buffer | undefined

const digestPattern = /^sha256:([0-9a-f]{64})$/

/** An HTTP answer as we write them; `otherwise` when it is something else. */
function answerIn(bytes: Uint8Array): Told | undefined | 'otherwise' {
  memory ??= Buffer.allocUnsafeSlow(memoryBytes)
  const { group, mainBytes } = readCopy(bytes, { memory, isJudged: false })
  const { main } = group
  const digest = digestPattern.exec(main.fields.get('WARC-Payload-Digest') ?? '')?.[1]
  if (typeOf(main) !== 'response' || digest === undefined || main.fields.has('WARC-Segment-Number'))
    return 'otherwise'
  const { head, payload } = contentOf({ fields: main.fields, block: main.block as Uint8Array })
  if (head === undefined || isChunked(head)) return 'otherwise'
  if (hash('sha256', payload) !== digest) return undefined
  const url = filedUrl(main)
  const capturedAtMs = momentOf(main)
  if (url === null || capturedAtMs === undefined) return undefined
  const { href, surt, site, ringKey } = url
  const headBytes = (main.block as Uint8Array).subarray(0, head.length)
  const signed = () => {
    const capture = { url: href, capturedAtMs, ipAddress: addressIn(main), certificate: certificateIn(main) }
    const payloadDigest = { algorithm: 'sha256', bytes: Buffer.from(digest, 'hex') } as const
    return factsToSign(capture, headBytes, payloadDigest)
  }
  if (!isSignatureRight(signatureIn(main), signed)) return undefined
  return {
    capture: {
      url: { href, surt, site, ringKey },
      capturedAtMs,
      contentType: undefined,
      recordId: recordUuid(main),
      importedBy: importedByIn(main),
      isImportedRevisit: isImportedRevisit(main),
    },
    facts: {
      status: parseStatusLine(head.startLine)?.status ?? 0,
      mime: mimeOf(head.headers.get('Content-Type')),
      payloadBytes: payload.length,
    },
    digest,
    mainBytes,
    checksum: crc32(bytes),
  }
}

function plainCopyIn(bytes: Uint8Array): Told | undefined {
  memory ??= Buffer.allocUnsafeSlow(memoryBytes)
  const { group, mainBytes } = readCopy(bytes, { memory })
  const { main } = group
  checkDigests(main)
  const capture = captureIn(group)
  if (typeof capture === 'string') return undefined
  const payload = capture.revisit === undefined ? main.payloadDigest : payloadDigestIn(main)
  if (payload?.algorithm !== 'sha256') return undefined
  checkSignature(capture, payload)
  const facts = factsOf({ ...capture, payloadDigest: payload }, sha256Digest)
  const refersTo = capture.revisit && refersToIn(main, capture, facts)
  if (capture.revisit !== undefined && refersTo === undefined) return undefined
  const { href, surt, site, ringKey } = capture.url
  const { status, mime, payloadBytes, payloadDigest } = facts
  return {
    capture: {
      url: { href, surt, site, ringKey },
      capturedAtMs: capture.capturedAtMs,
      contentType: capture.contentType,
      recordId: capture.recordId!,
      importedBy: capture.importedBy,
      isImportedRevisit: capture.isImportedRevisit,
    },
    facts: { status, mime, payloadBytes },
    refersTo,
    digest: digestHex(payloadDigest),
    mainBytes,
    checksum: crc32(bytes),
  }
}

/** undefined where more must be known to keep it: it is a delta, its payload is elsewhere, or it does not say all of itself. */
function refersToIn(
  main: ReadRecord,
  { revisit, block }: NewCapture,
  { mime, headBytes }: AnswerFacts,
): Revisited | undefined {
  const { kind, recordId, targetUri, date } = revisitTargetOf(main)!
  if (kind !== 'identical-payload-digest' || payloadElsewhere(main) !== undefined) return undefined
  const isAllSaid = revisit?.of !== undefined && mime !== '' && headBytes > 0 && headBytes === block.length
  return isAllSaid ? { id: recordId, targetUri: targetUri!, date: date! } : undefined
}
