// A proof file: all that a third party needs to see for itself that a capture was made by whom, and is in whose log since when. JSON;
// docs/proof.md has the format; proof-check.ts looks whether it holds.

import type { CaptureSignature } from './capture-signature.ts'
import type { LogInclusion } from './log/capture-log.ts'
import type { LogHead } from './log/log-head.ts'
import { hashBytes } from './merkle-tree.ts'
import { ProofError } from './proof-error.ts'

export interface HeadJson {
  readonly size: number
  readonly signedAt: number
  readonly root: string
  readonly signature: string
}

/** A statement (capture-statement.ts), and who signed it. */
export interface SignedJson {
  readonly statement: string
  readonly signature: {
    readonly key: string
    readonly signedAt: number
    readonly count: number
    readonly index: number
    readonly path: readonly string[]
    readonly signature: string
  }
}

/** What others saw (corroboration.ts), as who captured the page signed it. */
interface AccountJson extends SignedJson {
  /** In base64. */
  readonly payload: string
}

export interface ProofJson extends SignedJson {
  readonly format: 'polyhistor-proof'
  readonly version: 1
  /** The HTTP head that was signed, in base64; '' without HTTP. */
  readonly head: string
  /** In base64; null when it is too large for a proof file. */
  readonly payload: string | null
  /** null when the log of who signed it could not be asked. */
  readonly log: {
    readonly index: number
    readonly path: readonly string[]
    readonly head: HeadJson
    readonly before: HeadJson | null
  } | null
  /** null when nobody looked again; not there in files of earlier versions. */
  readonly seen?: AccountJson | null
}

/** What is signed, and by whom. */
export interface Signed {
  readonly statement: string
  readonly signature: CaptureSignature
}

const proofBytesMax = 256 * 1024 * 1024
const pathMax = 64
const hexPattern = /^(?:[0-9a-f]{2})*$/

export function proofJson(
  signed: Signed,
  content: { head: Uint8Array; payload: Uint8Array | undefined },
  inclusion: LogInclusion | undefined,
  seen: (Signed & { readonly payload: Uint8Array }) | undefined,
): ProofJson {
  return {
    format: 'polyhistor-proof',
    version: 1,
    ...signedJson(signed),
    head: base64(content.head),
    payload: content.payload === undefined ? null : base64(content.payload),
    log: inclusion
      ? {
          index: inclusion.index,
          path: inclusion.path.map(hex),
          head: headJson(inclusion.head),
          before: inclusion.before ? headJson(inclusion.before) : null,
        }
      : null,
    seen: seen ? { ...signedJson(seen), payload: base64(seen.payload) } : null,
  }
}

function signedJson({ statement, signature }: Signed): SignedJson {
  const { key, signedAtMs, count, index, path } = signature
  return {
    statement,
    signature: {
      key: hex(key),
      signedAt: signedAtMs,
      count,
      index,
      path: path.map(hex),
      signature: hex(signature.signature),
    },
  }
}

export function headJson({ size, signedAtMs, root, signature }: LogHead): HeadJson {
  return { size, signedAt: signedAtMs, root: hex(root), signature: hex(signature) }
}

/** Throws 'proof-unreadable' for what is no proof file. Whether it holds is not looked at. */
export function readProof(text: string): ProofJson {
  const broken = (why: string): ProofError =>
    new ProofError('proof-unreadable', `This is no proof file: ${why}.`)
  if (text.length > proofBytesMax) throw broken('it is too large')
  let read: Partial<ProofJson> | null
  try {
    read = JSON.parse(text) as Partial<ProofJson> | null
  } catch {
    throw broken('it is not JSON')
  }
  if (typeof read !== 'object' || read === null || read.format !== 'polyhistor-proof')
    throw broken('it does not say that it is one')
  if (read.version !== 1) throw broken(`its version is ${String(read.version)}, and this program knows 1`)
  const { statement, signature, head, payload, log, seen = null } = read
  if (!isText(statement) || !isText(head) || !(payload === null || isText(payload)))
    throw broken('statement, head or payload is missing')
  if (!isSignature(signature)) throw broken('its signature is not one')
  if (log !== null && !isLog(log)) throw broken('its log is not one')
  if (seen !== null && !isAccount(seen)) throw broken('what others saw is not told')
  return read as ProofJson
}

function isAccount(value: unknown): value is AccountJson {
  const { statement, signature, payload } = (value ?? {}) as Partial<AccountJson>
  return isText(statement) && isSignature(signature) && isText(payload)
}

function isSignature(value: unknown): value is SignedJson['signature'] {
  const { key, signedAt, count, index, path, signature } = (value ?? {}) as Partial<SignedJson['signature']>
  const areBytes = isHex(key, hashBytes) && isHex(signature, 64) && isPath(path)
  return areBytes && [signedAt, count, index].every(isCount)
}

function isLog(value: unknown): value is NonNullable<ProofJson['log']> {
  const { index, path, head, before } = (value ?? {}) as Partial<NonNullable<ProofJson['log']>>
  return isCount(index) && isPath(path) && isHead(head) && (before === null || isHead(before))
}

function isHead(value: unknown): value is HeadJson {
  const { size, signedAt, root, signature } = (value ?? {}) as Partial<HeadJson>
  return isCount(size) && isCount(signedAt) && isHex(root, hashBytes) && isHex(signature, 64)
}

function isPath(value: unknown): boolean {
  return Array.isArray(value) && value.length <= pathMax && value.every((one) => isHex(one, hashBytes))
}

function isHex(value: unknown, length: number): boolean {
  return typeof value === 'string' && value.length === 2 * length && hexPattern.test(value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function base64(data: Uint8Array): string {
  return Buffer.from(data).toString('base64')
}

function hex(data: Uint8Array): string {
  return Buffer.from(data).toString('hex')
}
