// A capture in a WARC file, and whether it is what somebody signed.

import { parseHttpHead, withoutTransferCoding } from '../formats/http/http-message.ts'
import { viewOf } from '../formats/warc/page-views.ts'
import { contentOf } from '../formats/warc/payload.ts'
import { typeOf } from '../formats/warc/record.ts'
import { type CaptureSignature, holds, isSignedInTime, parseSignature } from '../proof/capture-signature.ts'
import { type CapturedFacts, statementText } from '../proof/capture-statement.ts'
import { checkLooks, type Seen } from '../proof/corroboration.ts'
import type { ProofStep } from '../proof/proof-step.ts'
import type { NewCapture } from '../store/capture.ts'
import { captureIn } from '../store/import/capture-making.ts'
import type { ReadRecord } from '../store/import/read-record.ts'
import { factsToSign } from '../store/records/proof-mark.ts'
import { payloadDigestIn } from '../store/records/revisited.ts'

/** The step that is not so of a capture that nobody signed. */
export const unsigned = 'It is signed'

export interface RecordProof {
  readonly url: string
  readonly capturedAtMs: number
  readonly facts: CapturedFacts
  /** Who signed it; undefined when nobody did, or it cannot be read. */
  readonly signature: CaptureSignature | undefined
  readonly statement: string | undefined
  /** The HTTP head that was signed. */
  readonly head: Uint8Array
  readonly steps: readonly ProofStep[]
  /** Of an account of what others saw of a page: what they saw. */
  readonly seen: readonly Seen[]
}

/** Of captures in the same file: the payload that was captured then, if that is known. */
export type PayloadOf = (url: string, capturedAtMs: number) => string | undefined

/** undefined for a record that is no capture. */
export function proofOfRecord(
  main: ReadRecord,
  payloadOf: PayloadOf = () => undefined,
): RecordProof | undefined {
  const capture = captureIn({ main })
  if (typeof capture === 'string') return undefined
  const head = headIn(capture)
  const isRevisit = typeOf(main) === 'revisit'
  const digest = isRevisit ? payloadDigestIn(main) : (main.payloadDigest ?? digestOfBlock(main))
  const facts = factsToSign({ ...capture, url: capture.url.href }, head, digest)
  const field = capture.signature
  const signature = field === undefined ? undefined : parseSignature(field)
  const looks = looksIn(main, capture, signature, payloadOf)
  return {
    url: capture.url.href,
    capturedAtMs: capture.capturedAtMs,
    facts,
    signature,
    statement: signature && statementText(facts, signature),
    head: head === undefined ? new Uint8Array() : withoutTransferCoding(head),
    steps: [...digestSteps(main, isRevisit), ...signatureSteps(field, signature, facts), ...looks.steps],
    seen: looks.seen,
  }
}

/** What an account of others' looks says: each is signed by who saw it. */
function looksIn(
  main: ReadRecord,
  { url, capturedAtMs }: NewCapture,
  signature: CaptureSignature | undefined,
  payloadOf: PayloadOf,
): ReturnType<typeof checkLooks> {
  const view = viewOf(url.href)
  const bytes = view?.kind === 'corroboration' ? payloadIn(main) : undefined
  if (view === undefined || bytes === undefined) return { steps: [], seen: [] }
  const payloadDigest = payloadOf(view.page, capturedAtMs)
  return checkLooks(bytes, { url: view.page, capturedAtMs, payloadDigest, key: signature?.key })
}

/** Its payload, where it is in memory. */
export function payloadIn({ fields, block }: ReadRecord): Uint8Array | undefined {
  return block instanceof Uint8Array ? contentOf({ fields, block }).payload : undefined
}

function digestOfBlock({ block }: ReadRecord) {
  return block instanceof Uint8Array ? undefined : block.payloadDigest
}

function headIn({ block, contentType }: NewCapture): Uint8Array | undefined {
  const start = block instanceof Uint8Array ? block : block.head
  const head = contentType === undefined ? parseHttpHead(start) : undefined
  return head && start.subarray(0, head.length)
}

function digestSteps({ verdicts }: ReadRecord, isRevisit: boolean): ProofStep[] {
  const steps = [{ what: 'The record has the digest that it says', holds: verdicts.block !== 'mismatch' }]
  if (isRevisit) return steps
  return [
    ...steps,
    { what: 'The payload has the digest that the record says', holds: verdicts.payload !== 'mismatch' },
  ]
}

function signatureSteps(
  field: string | undefined,
  signature: CaptureSignature | undefined,
  facts: CapturedFacts,
): ProofStep[] {
  if (field === undefined) return [{ what: unsigned, holds: false }]
  if (signature === undefined) return [{ what: 'Its signature can be read', holds: false }]
  const isInTime = isSignedInTime(signature, facts.capturedAtMs)
  return [
    { what: 'The signature holds', holds: holds(signature, facts) },
    {
      what: 'It was signed when it was captured',
      holds: isInTime,
      note: `signed ${new Date(signature.signedAtMs).toISOString()}`,
    },
  ]
}
