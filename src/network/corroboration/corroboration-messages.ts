// What the peer that crawls a site asks another one for: to fetch a page again, from its own network, and say what it saw. As bytes.

import { bytes, counter, printable, text } from '../../formats/wire/message-fields.ts'
import { type Out, record, union } from '../../formats/wire/message-schema.ts'

const urlBytesMax = 8_192
/** Of a body: more is not compared word by word. */
export const bodyBytesMax = 1024 * 1024
export const headBytesMax = 64 * 1024
export const signatureCharsMax = 1_024

export const lookQuestion = record({ url: text(urlBytesMax) })

/** `seen`: what came, with the signature of who fetched it over url, time, digests, address and certificate (docs/proof.md). An empty body
 * with a payload that is not of no bytes: it was too large. */
export const lookAnswer = union('answer to a second look', {
  seen: {
    capturedAtMs: counter,
    head: bytes(headBytesMax),
    body: bytes(bodyBytesMax),
    payload: printable(128),
    address: printable(64),
    /** Hex digits; empty without TLS. */
    certificate: printable(64),
    signature: printable(signatureCharsMax),
  },
  failed: { code: printable(64) },
})
export type LookAnswer = Out<typeof lookAnswer>
export type SeenPage = Extract<LookAnswer, { kind: 'seen' }>

export function fitsQuestion(url: string): boolean {
  return Buffer.byteLength(url) <= urlBytesMax
}
