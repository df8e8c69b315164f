// Looks into copies of captures that came from elsewhere: is every byte of them right, and what do they say?
//
// Nothing here knows a store, so that it can be done in any thread. What is plain (a capture with its payload, which has its
// digest) comes out as all that an index must know; of anything else, damaged or resting on another capture, nothing is said,
// and whoever keeps it looks for itself.

import { crc32 } from 'node:zlib'
import { WarcDamage } from '../../record/warc/damage.ts'
import { typeOf } from '../../record/warc/record.ts'
import { factsOf } from '../answer-facts.ts'
import type { EnteredCapture, EnteredFacts } from '../capture-entering.ts'
import { sha256Digest } from '../content-digest.ts'
import { captureIn } from '../import/capture-making.ts'
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
  /** Of each. */
  readonly found: readonly (WholeCopy | undefined)[]
}

/** A capture with its payload, every byte as its digests say. */
export interface WholeCopy {
  readonly capture: EnteredCapture & { readonly recordId: string }
  readonly facts: EnteredFacts
  /** Of its main record, as it came. */
  readonly mainBytes: number
  /** CRC-32 of all of it. */
  readonly checksum: number
}

export function checkCopies({ bytes, lengths }: CopiesToCheck): CheckedCopies {
  let at = 0
  const found = lengths.map((length) => checkCopy(bytes.subarray(at, (at += length))))
  return { bytes, found }
}

function checkCopy(bytes: Uint8Array): WholeCopy | undefined {
  try {
    return wholeCopy(bytes)
  } catch (error) {
    if (error instanceof WarcDamage || error instanceof StoreError) return undefined
    throw error
  }
}

/** Records are looked at and forgotten: memory that is taken for each and given back costs as much as a digest. */
const memoryBytes = 1024 * 1024
let memory: Buffer | undefined

function wholeCopy(bytes: Uint8Array): WholeCopy | undefined {
  memory ??= Buffer.allocUnsafeSlow(memoryBytes)
  const { group, mainBytes } = readCopy(bytes, memory)
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
    facts: { status, mime, payloadBytes, payloadDigest },
    mainBytes,
    checksum: crc32(bytes),
  }
}
