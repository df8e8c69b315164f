// What a volunteer says came of a URL, as a fetch of our own would have ended; and whether two fetches of a page saw the same.
//
// Nothing is believed that can be checked: the signature holds for these very bytes and is the volunteer's own, the time is that of its
// bundle, the head is one. What remains to be believed is that a server sent this: that is for those who fetch it again.

import { isSurelyCosmetic } from '../../changes/page-change/cosmetic/judgement.ts'
import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import { parseIpAddress } from '../../crawl/address/ip-address.ts'
import { validatorsOf } from '../../crawl/fetch/conditional.ts'
import type { Fetched } from '../../crawl/fetch/outcome.ts'
import { redirectOf } from '../../crawl/fetch/redirect.ts'
import { parseHttpHead, parseStatusLine } from '../../formats/http/http-message.ts'
import type { Url } from '../../model/url/url.ts'
import { parseSignature } from '../../proof/capture-signature.ts'
import type { NewCapture } from '../../store/capture.ts'
import { sha256Digest } from '../../store/contents/content-digest.ts'
import { factsOf } from '../../store/reading/answer-facts.ts'
import { factsToSign, isSignatureRight } from '../../store/records/proof-mark.ts'
import { publicKeyOfPeer } from '../membership/peer-key.ts'
import type { GivenResponse } from './given-answers.ts'
import { writtenPrefix } from './volunteer-record.ts'

interface GivenBy {
  /** The volunteer, and when its bundle was given out. */
  readonly peer: string
  /** Its network, as this peer sees it; '' for one that is not known. */
  readonly prefix: string
  readonly sinceMs: number
  readonly nowMs: number
  readonly endedAtMs: number
  readonly wasConditional: boolean
}

/** Clocks of volunteers follow ours, but for the time that messages take. */
const clockMs = 60_000

/** Gives why it cannot be one. */
export function fetchedOf(url: Url, given: GivenResponse, by: GivenBy): Fetched | string {
  const { head, body, capturedAtMs, address, signature } = given
  const parsed = parseHttpHead(head)
  if (parsed === undefined || parsed.length !== head.length) return 'its head is none'
  const status = parseStatusLine(parsed.startLine)?.status
  if (status === undefined || status < 100 || status > 999) return 'it has no status'
  if (parseIpAddress(address) === undefined) return 'its address is none'
  if (capturedAtMs < by.sinceMs - clockMs || capturedAtMs > by.nowMs + clockMs) return 'its time is another'
  if (given.certificate !== undefined && !/^[0-9a-f]{64}$/.test(given.certificate))
    return 'its certificate is none'
  const signedBy = parseSignature(signature)?.key
  const key = publicKeyOfPeer(by.peer)
  if (signedBy === undefined || key === undefined || !Buffer.from(signedBy).equals(key))
    return 'it is not signed by who gave it'
  // In memory of its own, which can be handed to another thread.
  const block = Buffer.allocUnsafeSlow(head.length + body.length)
  block.set(head)
  block.set(body, head.length)
  const capture = {
    url,
    capturedAtMs,
    block,
    request: given.request,
    metadata: [
      ['fetchedBy', by.peer] as const,
      ...(by.prefix === '' ? [] : [['fetchedFrom', writtenPrefix(by.prefix)] as const]),
      ['fetchTimeMs', String(given.responseMs)] as const,
      ...(given.connectMs === undefined ? [] : [['connectTimeMs', String(given.connectMs)] as const]),
      ...(given.tlsProblem === undefined ? [] : [['tlsProblem', given.tlsProblem] as const]),
    ],
    ipAddress: address,
    protocols: given.protocols,
    certificate: given.certificate,
    truncated: given.truncated,
    signature,
  }
  if (!isSigned(capture)) return 'its signature does not hold'
  const { headers } = parsed
  const isNotModified = status === 304 && by.wasConditional
  return {
    kind: isNotModified ? 'not-modified' : 'fetched',
    status,
    headers,
    // Of what has not changed this peer says so itself: which version that was the volunteer does not know.
    capture: isNotModified ? { ...capture, signature: undefined } : capture,
    body: () => block.subarray(head.length),
    bodyBytes: body.length,
    validators: validatorsOf(headers),
    redirect: redirectOf(status, headers, url),
    responseMs: given.responseMs,
    connectMs: given.connectMs,
    endedAtMs: by.endedAtMs,
    discard: async () => {},
  }
}

/** What a volunteer signs of a capture, and what its signature is checked against. */
export function signedFacts(capture: NewCapture & { readonly block: Uint8Array }) {
  const facts = factsOf(capture, sha256Digest)
  const head = capture.block.subarray(0, facts.headBytes)
  return factsToSign({ ...capture, url: capture.url.href }, head, facts.payloadDigest)
}

function isSigned(capture: NewCapture & { readonly block: Uint8Array }): boolean {
  return isSignatureRight(capture.signature, () => signedFacts(capture))
}

interface Needs {
  /** undefined when they cannot be compared. */
  compare(before: Fetched, after: Fetched): Promise<VersionDifference | undefined>
}

/** Whether both saw the same, but for what differs at every visit. */
export async function isSameAnswer(needs: Needs, one: Fetched, other: Fetched): Promise<boolean> {
  if (one.kind !== other.kind || one.status !== other.status) return false
  if (one.redirect?.target?.href !== other.redirect?.target?.href) return false
  const [left, right] = [one.body(), other.body()]
  if (!(left instanceof Uint8Array) || !(right instanceof Uint8Array))
    return one.bodyBytes === other.bodyBytes
  if (Buffer.compare(left, right) === 0) return true
  const difference = await needs.compare(one, other)
  return difference !== undefined && isSurelyCosmetic(difference)
}
