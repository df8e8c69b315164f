// What of a stored capture is signed, by whom, and whether that holds.

import { parseHttpHead } from '../../formats/http/http-message.ts'
import { holdsHttp } from '../../formats/warc/payload.ts'
import { type CaptureSignature, parseSignature } from '../../proof/capture-signature.ts'
import type { CapturedFacts } from '../../proof/capture-statement.ts'
import type { Capture } from '../capture.ts'
import { addressIn } from '../import/capture-making.ts'
import { certificateIn, factsToSign, isSignatureRight, signatureIn } from '../records/proof-mark.ts'
import type { RecordReader, RecordStart } from '../records/record-reader.ts'
import { payloadDigestIn } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'
import type { CaptureFinder } from './capture-finder.ts'

export interface CaptureProof {
  readonly facts: CapturedFacts
  /** As it stands in the record; undefined when it was not signed. */
  readonly field: string | undefined
  /** Read from it; undefined when it cannot be one. */
  readonly signature: CaptureSignature | undefined
  /** Of one that is not signed: true. */
  readonly isRight: boolean
  /** The HTTP head that was signed; undefined without HTTP. */
  readonly head: Uint8Array | undefined
}

export class CaptureProofs {
  readonly #records: RecordReader
  readonly #finder: CaptureFinder

  constructor(needs: { records: RecordReader; finder: CaptureFinder }) {
    this.#records = needs.records
    this.#finder = needs.finder
  }

  async of(capture: Capture): Promise<CaptureProof> {
    const entry = this.#finder.entry(capture.cursor)
    if (entry === undefined)
      throw new StoreError('store-not-found', `${capture.url} at that time is no longer in this store.`)
    const start = await this.#records.start(entry.location)
    const { facts, head } = storedFacts(capture, start)
    const field = signatureIn(start)
    const signature = field === undefined ? undefined : parseSignature(field)
    return { facts, field, signature, isRight: isSignatureRight(field, () => facts), head }
  }
}

/** Whether what is stored is what was signed, if it was. Everything but the payload, whose digest is checked as it flows. */
export function isAsSigned(capture: Capture, start: RecordStart): boolean {
  return isSignatureRight(signatureIn(start), () => storedFacts(capture, start).facts)
}

function storedFacts(
  capture: Capture,
  start: RecordStart,
): { facts: CapturedFacts; head: Uint8Array | undefined } {
  const http = holdsHttp(start) ? parseHttpHead(start.block) : undefined
  const head = http && start.block.subarray(0, http.length)
  const about = {
    url: capture.url,
    capturedAtMs: capture.capturedAtMs,
    ipAddress: addressIn(start),
    certificate: certificateIn(start),
  }
  return { facts: factsToSign(about, head, capture.content?.digest ?? payloadDigestIn(start)), head }
}
