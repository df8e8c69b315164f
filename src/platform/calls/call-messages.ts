// How questions, answers, failures and cancellations are written.
//
// A message is a kind (one byte), the call's number (eight bytes) and what it says; a question has its deadline first,
// in four bytes, since nobody waits for what is worked out later.

import type { PolyhistorError } from '../../errors.ts'
import type { PeerId, Pieces } from '../network/network.ts'
import { CallFailed } from './call-errors.ts'

export const kindByte = { question: 0, answer: 1, failure: 2, cancellation: 3 } as const
export const headerBytes = 9
export const deadlineBytes = 4
const deadlineMsMax = 2 ** 32 - 1
const failureCharactersMax = 2_000
const codePattern = /^[a-z0-9-]{1,64}$/

/** In pieces: the one copy that must be made is made where messages are written. */
export function pack(kind: number, id: number, bytes: Pieces): Pieces {
  return joined(header(headerBytes, kind, id), bytes)
}

export function packQuestion(id: number, deadlineMs: number, bytes: Pieces): Pieces {
  const start = header(headerBytes + deadlineBytes, kindByte.question, id)
  start.writeUInt32BE(Math.min(Math.ceil(deadlineMs), deadlineMsMax), headerBytes)
  return joined(start, bytes)
}

export function packFailure(id: number, { code, message, retry }: PolyhistorError): Pieces {
  const failure = { code, message: message.slice(0, failureCharactersMax), retry }
  return pack(kindByte.failure, id, Buffer.from(JSON.stringify(failure)))
}

function header(sizeBytes: number, kind: number, id: number): Buffer {
  const start = Buffer.allocUnsafe(sizeBytes)
  start[0] = kind
  start.writeUInt32BE(Math.floor(id / 2 ** 32), 1)
  start.writeUInt32BE(id % 2 ** 32, 5)
  return start
}

function joined(start: Uint8Array, bytes: Pieces): readonly Uint8Array[] {
  return bytes instanceof Uint8Array ? [start, bytes] : [start, ...bytes]
}

/** Exact for the numbers that we give out; others that a peer may use collide among themselves alone. */
export function readId(bytes: Uint8Array): number {
  return uint32At(bytes, 1) * 2 ** 32 + uint32At(bytes, 5)
}

export function readDeadline(bytes: Uint8Array): number {
  return uint32At(bytes, 0)
}

/** Every message passes here: a DataView for each would cost more than the rest of reading it. */
function uint32At(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

/** Whatever the other peer sent, it becomes an error. */
export function unpackFailure(peer: PeerId, bytes: Uint8Array): CallFailed {
  let failure: { code?: unknown; message?: unknown; retry?: unknown } = {}
  try {
    failure = Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    // Not JSON: the defaults below.
  }
  const { code, message } = failure
  const isCode = typeof code === 'string' && codePattern.test(code)
  const reason = typeof message === 'string' ? message : 'The peer failed to answer'
  return new CallFailed(
    peer,
    isCode ? code : 'peer-failed',
    reason.slice(0, failureCharactersMax),
    failure.retry === 'later' ? 'later' : 'never',
  )
}
