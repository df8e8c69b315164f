// What another peer saw of a page soon after it was captured, as it is kept beside the capture: the statement that it signed, and whether
// the two were alike when noise had been taken out. JSON, as a view of the page (formats/warc/page-views.ts).
//
// Nothing of it is believed when it is read: the statement must be signed by who it says, be about the same page, and be of about the
// same time. That the two were alike is the word of who captured the page and signs the whole account; `same` is told by the digests.

import { viewUrl } from '../formats/warc/page-views.ts'
import { tryParseUrl, type Url } from '../model/url/url.ts'
import { holds, isSignedInTime, parseSignature } from './capture-signature.ts'
import type { CapturedFacts } from './capture-statement.ts'
import { areEqual } from './merkle-tree.ts'
import type { ProofStep } from './proof-step.ts'

export interface Corroboration {
  readonly facts: CapturedFacts
  readonly signature: string
  /** `same`: byte by byte. `alike`: but for noise. `other`: something else. */
  readonly verdict: CorroborationVerdict
}
export type CorroborationVerdict = 'same' | 'alike' | 'other'

/** The capture that others looked at again. */
export interface LookedAt {
  readonly url: string
  readonly capturedAtMs: number
  /** undefined where it is not known. */
  readonly payloadDigest: string | undefined
  /** Who captured it, whose own word adds nothing; undefined when nobody signed it. */
  readonly key: Uint8Array | undefined
}

/** A look that holds. */
export interface Seen {
  readonly key: Uint8Array
  readonly atMs: number
  readonly verdict: CorroborationVerdict
}

/** By so much the second look may be later. */
export const lookAgainMsMax = 3_600_000
export const corroborationBytesMax = 32 * 1024
const looksMax = 8
const digestPattern = /^[0-9a-f]{64}$/
const payloadPattern = /^sha256:[0-9a-f]{64}$/

export function encodeCorroborations(looks: readonly Corroboration[]): Uint8Array {
  const entries = looks.slice(0, looksMax).map(({ facts, signature, verdict }) => ({
    url: facts.url,
    time: new Date(facts.capturedAtMs).toISOString(),
    head: `sha256:${Buffer.from(facts.headDigest).toString('hex')}`,
    payload: facts.payloadDigest ?? null,
    address: facts.address ?? null,
    certificate: facts.certificate ?? null,
    signature,
    verdict,
  }))
  return Buffer.from(JSON.stringify({ format: 'polyhistor-corroboration', version: 1, looks: entries }))
}

/** undefined when any of it is not well formed. */
export function decodeCorroborations(bytes: Uint8Array): Corroboration[] | undefined {
  if (bytes.length > corroborationBytesMax) return undefined
  try {
    const file = JSON.parse(Buffer.from(bytes).toString('utf8')) as { looks?: unknown } | null
    if (!Array.isArray(file?.looks) || file.looks.length > looksMax) return undefined
    const looks = file.looks.flatMap(lookIn)
    return looks.length === file.looks.length ? looks : undefined
  } catch {
    return undefined
  }
}

/** What an account of this capture is filed under; undefined when there can be none. */
export function accountUrl(url: string): Url | undefined {
  const page = tryParseUrl(url)
  return page === null ? undefined : viewUrl(page, 'corroboration')
}

/** Whether every look of an account is what it says, and those that are; of each peer the first. */
export function checkLooks(bytes: Uint8Array, page: LookedAt): { steps: ProofStep[]; seen: Seen[] } {
  const looks = decodeCorroborations(bytes)
  if (looks === undefined) return { steps: [{ what: 'What others saw can be read', holds: false }], seen: [] }
  const seen = new Map<string, Seen>()
  const steps = looks.map((look): ProofStep => {
    const { facts, verdict } = look
    const key = signerOf(look, page)
    const isSame = page.payloadDigest === undefined || page.payloadDigest === facts.payloadDigest
    const isTrue = key !== undefined && !isOf(page, key) && (verdict !== 'same' || isSame)
    const name = key && Buffer.from(key).toString('hex')
    if (isTrue && !seen.has(name!)) seen.set(name!, { key, atMs: facts.capturedAtMs, verdict })
    return {
      what: verdictSteps[verdict],
      holds: isTrue,
      note: `seen ${new Date(facts.capturedAtMs).toISOString()}`,
    }
  })
  return { steps, seen: [...seen.values()] }
}

const verdictSteps: Record<CorroborationVerdict, string> = {
  same: 'Another peer signed that it saw the same bytes',
  alike: 'Another peer signed what it saw, which was alike',
  other: 'Another peer signed what it saw, which was something else',
}

function isOf({ key }: LookedAt, other: Uint8Array): boolean {
  return key !== undefined && areEqual(key, other)
}

/** Whose key signed it, when it is about that capture of that page; undefined when it is not. */
export function signerOf(
  { facts, signature }: Corroboration,
  page: { readonly url: string; readonly capturedAtMs: number },
): Uint8Array | undefined {
  const parsed = parseSignature(signature)
  if (parsed === undefined || facts.url !== page.url || parsed.isImported) return undefined
  if (Math.abs(facts.capturedAtMs - page.capturedAtMs) > lookAgainMsMax) return undefined
  return isSignedInTime(parsed, facts.capturedAtMs) && holds(parsed, facts) ? parsed.key : undefined
}

function lookIn(value: unknown): Corroboration[] {
  if (typeof value !== 'object' || value === null) return []
  const { url, time, head, payload, address, certificate, signature, verdict } = value as Record<
    string,
    unknown
  >
  const capturedAtMs = typeof time === 'string' ? Date.parse(time) : Number.NaN
  const digest = typeof head === 'string' && head.startsWith('sha256:') ? head.slice(7) : ''
  const isSound =
    typeof url === 'string' &&
    Number.isFinite(capturedAtMs) &&
    digestPattern.test(digest) &&
    (payload === null || (typeof payload === 'string' && payloadPattern.test(payload))) &&
    (address === null || typeof address === 'string') &&
    (certificate === null || (typeof certificate === 'string' && digestPattern.test(certificate))) &&
    typeof signature === 'string' &&
    (verdict === 'same' || verdict === 'alike' || verdict === 'other')
  if (!isSound) return []
  const facts = {
    url: url as string,
    capturedAtMs,
    headDigest: Buffer.from(digest, 'hex'),
    payloadDigest: (payload as string | null) ?? undefined,
    address: (address as string | null) ?? undefined,
    certificate: (certificate as string | null) ?? undefined,
  }
  return [{ facts, signature: signature as string, verdict: verdict as CorroborationVerdict }]
}
