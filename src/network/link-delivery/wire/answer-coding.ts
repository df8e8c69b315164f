// The answer to a batch: what became of it, and what the sender should know of the ring.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { type RingKey, ringKeyBytes } from '../../../model/ring-key.ts'
import { otherVersion } from '../exchange-error.ts'
import type { OwnArc, Owner } from '../owners.ts'

const version = 1
const knownFlag = 1
const arcFlag = 2
const refusalPlain = 0
const refusalWithOwner = 1
const refusalForNow = 2
const followingMax = 8
const peerBytesMax = 200
const addressesMax = 8
const addressBytesMax = 300

/** Links, by their places in the batch, that are not the receiver's, or that it cannot take for now. */
export interface Refusal {
  readonly from: number
  readonly count: number
  /** They are the receiver's; it takes them later. */
  readonly isForNow?: true | undefined
  /** Who owns them, as far as the receiver knows. */
  readonly owner?: Owner | undefined
}

export interface BatchAnswer {
  /** The same batch was taken before. */
  readonly isKnown: boolean
  readonly arc?: OwnArc | undefined
  /** All others were taken, for good. */
  readonly refused: readonly Refusal[]
}

export function encodeAnswer({ isKnown, arc, refused }: BatchAnswer): Uint8Array {
  const flags = (isKnown ? knownFlag : 0) | (arc ? arcFlag : 0)
  const writer = new MessageWriter().byte(version).byte(flags)
  if (arc) writeArc(writer, arc)
  writer.number(refused.length)
  for (const { from, count, owner, isForNow } of refused) {
    const kind = isForNow ? refusalForNow : owner ? refusalWithOwner : refusalPlain
    writer.number(from).number(count).byte(kind)
    if (kind === refusalWithOwner) writeOwner(writer, owner!)
  }
  return writer.finish()
}

export function decodeAnswer(bytes: Uint8Array): BatchAnswer {
  const reader = new MessageReader(bytes)
  if (reader.byte() !== version) throw otherVersion('The answer to a batch of links')
  const flags = reader.byte()
  const arc = flags & arcFlag ? readArc(reader) : undefined
  const refused = Array.from({ length: reader.count() }, () => readRefusal(reader))
  return { isKnown: (flags & knownFlag) !== 0, refused, ...(arc && { arc }) }
}

/** The places of all links that were refused, of so many in the batch. */
export function placesOf(refused: readonly Refusal[], linkCount: number): Set<number> {
  const places = new Set<number>()
  for (const { from, count } of refused) {
    // No link can be refused twice: so a hostile answer costs no more than a long one.
    if (from + count > linkCount || places.size + count > linkCount)
      throw new MessageMalformed('it refuses what was not sent')
    for (let place = from; place < from + count; place++) places.add(place)
  }
  return places
}

function readRefusal(reader: MessageReader): Refusal {
  const [from, count, kind] = [reader.number(), reader.number(), reader.byte()]
  if (kind === refusalForNow) return { from, count, isForNow: true }
  return { from, count, ...(kind === refusalWithOwner && { owner: readOwner(reader) }) }
}

function writeArc(writer: MessageWriter, { after, upTo, following }: OwnArc): void {
  const told = following.slice(0, followingMax)
  writer.hex(after).hex(upTo).byte(told.length)
  for (const owner of told) writeOwner(writer, owner)
}

function readArc(reader: MessageReader): OwnArc {
  const after = readKey(reader)
  const upTo = readKey(reader)
  const count = reader.byte()
  if (count > followingMax) throw new MessageMalformed('too many peers follow')
  return { after, upTo, following: Array.from({ length: count }, () => readOwner(reader)) }
}

function writeOwner(writer: MessageWriter, { peer, upTo, addresses }: Owner): void {
  const told = addresses.slice(0, addressesMax)
  writer.text(peer).hex(upTo).byte(told.length)
  for (const address of told) writer.text(address)
}

function readOwner(reader: MessageReader): Owner {
  const peer = reader.name(peerBytesMax)
  const upTo = readKey(reader)
  const count = reader.byte()
  if (count > addressesMax) throw new MessageMalformed('a peer has too many addresses')
  return { peer, upTo, addresses: Array.from({ length: count }, () => reader.name(addressBytesMax)) }
}

function readKey(reader: MessageReader): RingKey {
  return reader.hex(ringKeyBytes) as RingKey
}
