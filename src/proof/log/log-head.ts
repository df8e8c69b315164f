// The head of a peer's log: how many captures it has, and the root of the tree over them, signed. Whoever has two heads of one peer
// can have it shown that the later one goes on from the earlier one: what was in the log is in it for good.

import { isSignedBy, type SigningKey, signatureBytes } from '../ed25519.ts'
import { type Hash, hashBytes, type TreeHead } from '../merkle-tree.ts'

export interface LogHead extends TreeHead {
  /** When it was signed, by the clock of who signed it. */
  readonly signedAtMs: number
  readonly signature: Uint8Array
}

const purpose = Buffer.from('polyhistor log head 1\n')
const factBytes = 16 + hashBytes
export const headBytes = factBytes + signatureBytes

export function signHead(key: SigningKey, size: number, root: Hash, signedAtMs: number): LogHead {
  return { size, root, signedAtMs, signature: key.sign(headMessage({ size, root, signedAtMs })) }
}

export function isHeadSigned(head: LogHead, publicKey: Uint8Array): boolean {
  return isSignedBy(publicKey, headMessage(head), head.signature)
}

/** What is signed: its purpose, size, time and root. */
export function headMessage(head: Omit<LogHead, 'signature'>): Uint8Array {
  return Buffer.concat([purpose, factsOf(head)])
}

export function encodeHead(head: LogHead): Buffer {
  return Buffer.concat([factsOf(head), head.signature])
}

/** undefined for what is none. */
export function decodeHead(bytes: Uint8Array): LogHead | undefined {
  if (bytes.length !== headBytes) return undefined
  const view = Buffer.from(bytes)
  const [size, signedAtMs] = [Number(view.readBigUInt64BE(0)), Number(view.readBigUInt64BE(8))]
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(signedAtMs)) return undefined
  return { size, signedAtMs, root: view.subarray(16, factBytes), signature: view.subarray(factBytes) }
}

function factsOf({ size, root, signedAtMs }: Omit<LogHead, 'signature'>): Buffer {
  const facts = Buffer.alloc(factBytes)
  facts.writeBigUInt64BE(BigInt(size), 0)
  facts.writeBigUInt64BE(BigInt(signedAtMs), 8)
  facts.set(root, 16)
  return facts
}
