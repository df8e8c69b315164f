// What a peer says of a capture when it signs it: what it asked for, when, what came, from where. As text that people and other
// programs can read, the same bytes every time; docs/proof.md has the rules.
//
// Nothing in it depends on how the capture is stored: whole, as a revisit or as a delta, on any peer, it is the same statement.
// What stands in WARC records beside these facts (request, metadata, what a capture was cut short by) is not signed.

import { hash } from 'node:crypto'
import { type Hash, leafOfText } from './merkle-tree.ts'

export interface CapturedFacts {
  /** That it is filed under. */
  readonly url: string
  readonly capturedAtMs: number
  /** SHA-256 of the HTTP head with its empty line; of what came without HTTP, of its content type. */
  readonly headDigest: Hash
  /** As `WARC-Payload-Digest` has it; undefined when it was never known. */
  readonly payloadDigest: string | undefined
  readonly address: string | undefined
  /** Hex digits of the SHA-256 of the server's certificate. */
  readonly certificate: string | undefined
}

export interface Signing {
  /** The public key of who signs. */
  readonly key: Uint8Array
  /** It was not fetched by who signs, but taken from a file. */
  readonly isImported: boolean
  /** The payload was not known when it was signed, whatever became known since. */
  readonly isPayloadUnknown: boolean
}

export function statementText(facts: CapturedFacts, { key, isImported, isPayloadUnknown }: Signing): string {
  const payload = isPayloadUnknown ? undefined : facts.payloadDigest
  const certificate = facts.certificate === undefined ? '-' : `sha256:${facts.certificate}`
  return `polyhistor capture 1
url ${facts.url}
time ${timeText(facts.capturedAtMs)}
head sha256:${hexOf(facts.headDigest)}
payload ${payload ?? '-'}
address ${facts.address ?? '-'}
certificate ${certificate}
${isImported ? 'imported' : 'captured'} by ed25519:${hexOf(key)}
`
}

/** The leaf that stands for it, in the tree of its signature and in the log. */
export function statementLeaf(facts: CapturedFacts, signing: Signing): Hash {
  return leafOfText(statementText(facts, signing))
}

export function headDigestOf(head: Uint8Array | string): Hash {
  return hash('sha256', head, 'buffer')
}

/** What a certificate's digest looks like in a record. */
export const certificatePattern = /^sha256:([0-9a-f]{64})$/

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
