// Whether a proof file proves what it says, link by link. Needs nothing but the file: docs/proof.md tells others how.

import { hash } from 'node:crypto'
import { isSignedInTime, lateMsMax, signedMessage } from './capture-signature.ts'
import { accountUrl, checkLooks, type Seen } from './corroboration.ts'
import { isSignedBy } from './ed25519.ts'
import { isHeadSigned, type LogHead } from './log/log-head.ts'
import { areEqual, type Hash, leafOfText, rootOfPath } from './merkle-tree.ts'
import type { HeadJson, ProofJson, SignedJson } from './proof-file.ts'
import type { ProofStep } from './proof-step.ts'

export interface ProofCheck {
  /** In order. */
  readonly steps: readonly ProofStep[]
  /** Other peers whose looks hold. */
  readonly seen: readonly Seen[]
}

export function checkProof(proof: ProofJson): ProofCheck {
  const facts = factsIn(proof.statement)
  const account = checkAccount(proof, facts)
  const steps = [
    ...contentSteps(proof, facts),
    ...signatureSteps(proof, facts),
    ...(proof.log === null ? [] : logSteps(proof, facts)),
    ...account.steps,
  ]
  return { steps, seen: account.seen }
}

interface StatementFacts {
  readonly url: string
  readonly capturedAtMs: number
  readonly head: string
  readonly payload: string
  readonly key: string
  readonly isImported: boolean
}

/** What the lines of a statement say; undefined when it is none. */
export function factsIn(statement: string): StatementFacts | undefined {
  const match =
    /^polyhistor capture 1\nurl (\S+)\ntime (\S+)\nhead (\S+)\npayload (\S+)\naddress \S+\ncertificate \S+\n(captured|imported) by ed25519:([0-9a-f]{64})\n$/.exec(
      statement,
    )
  if (match === null) return undefined
  const [, url, time, head, payload, how, key] = match as unknown as string[]
  if (Number.isNaN(Date.parse(time!))) return undefined
  return {
    url: url!,
    capturedAtMs: Date.parse(time!),
    head: head!,
    payload: payload!,
    key: key!,
    isImported: how === 'imported',
  }
}

function contentSteps(proof: ProofJson, facts: StatementFacts | undefined): ProofStep[] {
  const steps = [
    { what: 'The statement is one of a capture', holds: facts !== undefined },
    { what: 'The HTTP head is the one in the statement', holds: facts?.head === sha256(proof.head) },
  ]
  if (proof.payload === null)
    return [...steps, { what: 'The payload is known by its digest', holds: facts !== undefined }]
  const isUnknown = facts?.payload === '-'
  const holds = isUnknown ? proof.payload === '' : facts?.payload === sha256(proof.payload)
  return [...steps, { what: 'The payload is the one in the statement', holds }]
}

function signatureSteps(signed: SignedJson, facts: StatementFacts | undefined): ProofStep[] {
  const { signature } = signed
  const root = rootOf(signed)
  const signing = { isImported: facts?.isImported === true, signedAtMs: signature.signedAt }
  const isInTime = isSignedInTime(signing, facts?.capturedAtMs ?? 0)
  return [
    {
      what: `The statement is one of ${signature.count} that were signed together`,
      holds: root !== undefined,
    },
    {
      what: 'The signature is that of the peer that the statement names',
      holds: facts?.key === signature.key,
    },
    { what: 'The signature holds', holds: isSigned(signed) },
    {
      what: 'It was signed when it was captured',
      holds: isInTime,
      note: `signed ${time(signature.signedAt)}`,
    },
  ]
}

function logSteps(proof: ProofJson, facts: StatementFacts | undefined): ProofStep[] {
  const { index, path, head, before } = proof.log!
  const key = bytes(proof.signature.key)
  const root = rootOfPath(leafOf(proof.statement), index, head.size, path.map(bytes))
  const steps: ProofStep[] = [
    {
      what: `The statement is entry ${index} of the log`,
      holds: root !== undefined && areEqual(root, bytes(head.root)),
    },
    {
      what: `The head of ${head.size} captures is signed by the same peer`,
      holds: isHeadSigned(headOf(head), key),
      note: `signed ${time(head.signedAt)}`,
    },
  ]
  if (before === null) return steps
  const isInTime = facts?.isImported === true || before.signedAt - (facts?.capturedAtMs ?? 0) <= lateMsMax
  return [
    ...steps,
    {
      what: `The head before it, of ${before.size} captures, is signed by the same peer`,
      holds: before.size <= index && isHeadSigned(headOf(before), key),
      note: `signed ${time(before.signedAt)}`,
    },
    { what: 'It was entered when it was captured, not put in later', holds: isInTime },
  ]
}

/** Who captured the page signed what others saw of it, and they signed it, too. */
function checkAccount({ seen, signature }: ProofJson, page: StatementFacts | undefined): ProofCheck {
  if (seen === undefined || seen === null || page === undefined) return { steps: [], seen: [] }
  const facts = factsIn(seen.statement)
  const isOfPage = facts?.url === accountUrl(page.url)?.href && facts?.capturedAtMs === page.capturedAtMs
  const isOfSigner = facts?.key === page.key && seen.signature.key === signature.key
  const isWhole = facts?.payload === sha256(seen.payload) && isSigned(seen)
  const looks = checkLooks(Buffer.from(seen.payload, 'base64'), {
    ...page,
    payloadDigest: page.payload,
    key: bytes(page.key),
  })
  const what = 'What others saw was noted beside this capture, and signed by the same peer'
  return {
    steps: [{ what, holds: isOfPage && isOfSigner && isWhole }, ...looks.steps],
    seen: looks.seen,
  }
}

function rootOf({ statement, signature }: SignedJson): Hash | undefined {
  return rootOfPath(leafOf(statement), signature.index, signature.count, signature.path.map(bytes))
}

function isSigned(signed: SignedJson): boolean {
  const { key, count, signedAt, signature } = signed.signature
  const root = rootOf(signed)
  return root !== undefined && isSignedBy(bytes(key), signedMessage(root, count, signedAt), bytes(signature))
}

function headOf({ size, signedAt, root, signature }: HeadJson): LogHead {
  return { size, signedAtMs: signedAt, root: bytes(root), signature: bytes(signature) }
}

function leafOf(statement: string): Hash {
  return leafOfText(statement)
}

function sha256(base64: string): string {
  return `sha256:${hash('sha256', Buffer.from(base64, 'base64'))}`
}

function time(ms: number): string {
  return ms <= 8.64e15 ? new Date(ms).toISOString() : String(ms)
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}
