// Tickets as bytes: the names that are asked for, and one proof for each, or nothing where none is known. What a proof holds is
// the network's business (src/network/membership/): here it is bytes.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import type { PeerId } from '../../../platform/network.ts'
import { readText } from './contact-coding.ts'

/** More than the longest answer names. */
export const ticketsMax = 200
const proofBytesMax = 16_384
const version = 1

export function writeNames(writer: MessageWriter, peers: readonly PeerId[]): MessageWriter {
  writer.byte(peers.length)
  for (const peer of peers) writer.text(peer)
  return writer
}

export function readNames(reader: MessageReader): PeerId[] {
  const count = reader.byte()
  if (count > ticketsMax) throw new MessageMalformed(`${count} names`)
  return Array.from({ length: count }, () => readText(reader))
}

export function encodeTickets(proofs: readonly (Uint8Array | undefined)[]): Uint8Array {
  const writer = new MessageWriter().byte(version).byte(proofs.length)
  for (const proof of proofs) {
    writer.uint(proof?.length ?? 0, 2)
    if (proof !== undefined) writer.fixed(proof)
  }
  return writer.finish()
}

export function decodeTickets(bytes: Uint8Array): (Uint8Array | undefined)[] {
  const reader = new MessageReader(bytes)
  if (reader.byte() !== version) throw new MessageMalformed('tickets of another version')
  return Array.from({ length: reader.byte() }, () => {
    const length = reader.uint(2)
    if (length > proofBytesMax) throw new MessageMalformed(`a ticket of ${length} bytes`)
    return length === 0 ? undefined : reader.fixed(length)
  })
}
