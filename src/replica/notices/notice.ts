// A notice: something that every peer of a network must know, such as a job and its state, or a takedown.
//
// Named by kind and name. Of two with the same name the later one counts, by version, then peer, then value: all peers that have
// heard of both hold the same one, in whatever order they heard. Versions follow the clock, so that who has forgotten
// everything is not outvoted for ever by what it said before.

import { hash } from 'node:crypto'
import { MessageMalformed, type MessageReader, MessageWriter } from '../../record/message-bytes.ts'
import type { PeerId } from '../../world/network.ts'

export interface Notice {
  readonly kind: string
  readonly name: string
  readonly value: Uint8Array
  readonly version: number
  /** Who wrote it. */
  readonly peer: PeerId
}

export const kindBytesMax = 32
export const nameBytesMax = 16 * 1024
export const valueBytesMax = 512 * 1024
const peerBytesMax = 200
/** Far behind any clock: whoever writes a larger one would have the last word for ever. */
const versionMax = 2 ** 50
const idBytes = 16

/** Where it lies: its kind, so that those of a kind lie together, and a digest of its name. */
export function noticeKey(kind: string, name: string): Uint8Array {
  return Buffer.concat([kindStart(kind), hash('sha256', name, 'buffer').subarray(0, 20)])
}

export function kindStart(kind: string): Buffer {
  return Buffer.concat([Buffer.from(kind), Buffer.alloc(1)])
}

export function isLater(one: Notice, other: Notice): boolean {
  if (one.version !== other.version) return one.version > other.version
  if (one.peer !== other.peer) return one.peer > other.peer
  return Buffer.compare(one.value, other.value) > 0
}

export function idOf(written: Uint8Array): Uint8Array {
  return hash('sha256', written, 'buffer').subarray(0, idBytes)
}

export function writeNotice(writer: MessageWriter, { kind, name, value, version, peer }: Notice): void {
  writer.text(kind).text(name).number(version).text(peer).bytes(value)
}

export function noticeBytes(notice: Notice): Uint8Array {
  const writer = new MessageWriter()
  writeNotice(writer, notice)
  return writer.finish()
}

export function readNotice(reader: MessageReader): Notice {
  const kind = reader.name(kindBytesMax)
  if (kind === '') throw new MessageMalformed('a notice without a kind')
  const name = reader.text(nameBytesMax)
  const version = reader.number(versionMax)
  const peer = reader.name(peerBytesMax)
  const value = Uint8Array.from(reader.bytes(valueBytesMax))
  return { kind, name, value, version, peer }
}
