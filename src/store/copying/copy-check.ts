// Looks into copies of captures that came from elsewhere: is every byte of them right, and what do they say?
//
// Nothing here knows a store, so that it can be done in any thread. What is plain (a capture with its payload, which has its
// digest) comes out as all that an index must know; of anything else, damaged or resting on another capture, nothing is said,
// and whoever keeps it looks for itself.
//
// Nearly all of the time goes into inflating and digesting. So of an answer in gzip, which has a checksum over all that is in it,
// the payload is digested and not the block as well: who would send another head could write another block digest, too. A scrub
// digests blocks.

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { digestHex } from '../../record/digest.ts'
import { isChunked, parseStatusLine } from '../../record/http-message.ts'
import { tryParseUrl } from '../../record/url.ts'
import { WarcDamage } from '../../record/warc/damage.ts'
import { looksLikeGzip } from '../../record/warc/gzip-member.ts'
import { contentOf } from '../../record/warc/payload.ts'
import { targetUriOf, typeOf } from '../../record/warc/record.ts'
import { factsOf, mimeOf } from '../answer-facts.ts'
import type { EnteredCapture, EnteredFacts } from '../capture-entering.ts'
import { sha256Digest } from '../content-digest.ts'
import { captureIn, momentOf, recordUuid } from '../import/capture-making.ts'
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
  /** Of each, as text for `wholeCopiesIn`: objects take several times as long on their way between threads. */
  readonly told: string
}

/** A capture with its payload, every byte as its digests say. */
export interface WholeCopy {
  readonly capture: EnteredCapture & { readonly recordId: string }
  readonly facts: EnteredFacts
  /** Hex digits of the payload's digest. */
  readonly digest: string
  /** Of its main record, as it came. */
  readonly mainBytes: number
  /** CRC-32 of all of it. */
  readonly checksum: number
}

type Told = Omit<WholeCopy, 'facts'> & { readonly facts: Omit<EnteredFacts, 'payloadDigest'> }

export function checkCopies({ bytes, lengths }: CopiesToCheck): CheckedCopies {
  let at = 0
  const told = lengths.map((length) => checkCopy(bytes.subarray(at, (at += length))))
  return { bytes, told: JSON.stringify(told) }
}

/** Of each; undefined when it is not plain. */
export function wholeCopiesIn({ told }: CheckedCopies): (WholeCopy | undefined)[] {
  return (JSON.parse(told) as (Told | null)[]).map((one) => {
    if (one === null) return undefined
    const payloadDigest = { algorithm: 'sha256', bytes: Buffer.from(one.digest, 'hex') } as const
    return { ...one, facts: { ...one.facts, payloadDigest } }
  })
}

function checkCopy(bytes: Uint8Array): Told | undefined {
  try {
    const read = looksLikeGzip(bytes) ? answerIn(bytes) : 'otherwise'
    return read === 'otherwise' ? wholeCopyIn(bytes) : read
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
  const url = tryParseUrl(targetUriOf(main) ?? '')
  const capturedAtMs = momentOf(main)
  if (url === null || capturedAtMs === undefined) return undefined
  const { href, surt, site, ringKey } = url
  return {
    capture: {
      url: { href, surt, site, ringKey },
      capturedAtMs,
      contentType: undefined,
      recordId: recordUuid(main),
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

function wholeCopyIn(bytes: Uint8Array): Told | undefined {
  memory ??= Buffer.allocUnsafeSlow(memoryBytes)
  const { group, mainBytes } = readCopy(bytes, { memory })
  const { main } = group
  checkDigests(main)
  if (typeOf(main) === 'revisit' || main.payloadDigest?.algorithm !== 'sha256') return undefined
  const capture = captureIn(group)
  if (typeof capture === 'string') return undefined
  const facts = factsOf({ ...capture, payloadDigest: main.payloadDigest }, sha256Digest)
  const { href, surt, site, ringKey } = capture.url
  const { status, mime, payloadBytes, payloadDigest } = facts
  return {
    capture: {
      url: { href, surt, site, ringKey },
      capturedAtMs: capture.capturedAtMs,
      contentType: capture.contentType,
      recordId: capture.recordId!,
    },
    facts: { status, mime, payloadBytes },
    digest: digestHex(payloadDigest),
    mainBytes,
    checksum: crc32(bytes),
  }
}
