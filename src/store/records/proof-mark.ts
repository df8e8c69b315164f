// What proves a capture, on its own record: who signed it (proof/capture-signature.ts), and the certificate that its server showed.
// Both go wherever the capture goes, however it is stored there. Other tools pass over them.

import type { FieldList } from '../../formats/http/field-list.ts'
import { parseHttpHead, withoutTransferCoding } from '../../formats/http/http-message.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import type { WarcBlock, WarcRecord } from '../../formats/warc/record.ts'
import { type Digest, printDigest } from '../../model/digest.ts'
import { holds, isSignedInTime, parseSignature, signatureField } from '../../proof/capture-signature.ts'
import { type CapturedFacts, certificatePattern, headDigestOf } from '../../proof/capture-statement.ts'
import type { NewCapture } from '../capture.ts'

const certificateField = 'Polyhistor-TLS-Certificate'
/** More than any of ours has. */
const signaturePattern = /^[\w-]{100,400}$/
const nothing = new Uint8Array()

/** `record`: one that was just made, and has none of it. */
export function markedProven<Block extends WarcBlock>(
  record: WarcRecord<Block>,
  { signature, certificate }: Pick<NewCapture, 'signature' | 'certificate'>,
): WarcRecord<Block> {
  let { fields } = record
  if (certificate !== undefined) fields = fields.with(certificateField, `sha256:${certificate}`)
  if (signature !== undefined) fields = fields.with(signatureField, signature)
  return fields === record.fields ? record : { ...record, fields }
}

/** As it stands there, right or wrong. */
export function signatureIn({ fields }: { fields: FieldList }): string | undefined {
  return fields.get(signatureField)
}

export function certificateIn({ fields }: { fields: FieldList }): string | undefined {
  return certificatePattern.exec(fields.get(certificateField) ?? '')?.[1]
}

export function proofIn(record: { fields: FieldList }): Pick<NewCapture, 'signature' | 'certificate'> {
  return { signature: signatureIn(record), certificate: certificateIn(record) }
}

/** `head`: as it came, with its empty line; undefined without HTTP. How the answer was transferred is not part of what is signed: the
 * payload is without that, and exports leave it out. */
export function factsToSign(
  capture: Pick<NewCapture, 'capturedAtMs' | 'ipAddress' | 'certificate'> & { url: string },
  head: Uint8Array | undefined,
  payloadDigest: Digest | undefined,
): CapturedFacts {
  return {
    url: capture.url,
    capturedAtMs: capture.capturedAtMs,
    headDigest: headDigestOf(head === undefined ? nothing : withoutTransferCoding(head)),
    // Of another algorithm some peer may know the content, and then names that.
    payloadDigest: payloadDigest?.algorithm === 'sha256' ? printDigest(payloadDigest) : undefined,
    address: capture.ipAddress,
    certificate: capture.certificate,
  }
}

/** Whether a signature is what it should be; there need not be one. */
export function isSignatureRight(signature: string | undefined, facts: () => CapturedFacts): boolean {
  if (signature === undefined) return true
  if (!signaturePattern.test(signature)) return false
  const parsed = parseSignature(signature)
  if (parsed === undefined) return false
  const signed = facts()
  return holds(parsed, signed) && isSignedInTime(parsed, signed.capturedAtMs)
}

/** Of a capture that came from elsewhere. Throws WarcDamage. */
export function checkSignature(capture: NewCapture, payloadDigest: Digest | undefined): void {
  const start = capture.block instanceof Uint8Array ? capture.block : capture.block.head
  const head = capture.contentType === undefined ? parseHttpHead(start) : undefined
  const facts = () =>
    factsToSign({ ...capture, url: capture.url.href }, head && start.subarray(0, head.length), payloadDigest)
  if (isSignatureRight(capture.signature, facts)) return
  throw new WarcDamage('warc-bad-signature', 0, `the signature of ${capture.url.href} does not hold`)
}
