// Stewardships and what is known of a site as bytes: on disk, and inside of messages.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import type { PeerId } from '../../../platform/network.ts'
import type { Accepted, Ballot, Electorate, SiteRecord, Stewardship } from '../stewardship.ts'

const membersMax = 64
const peerBytesMax = 128
/** Stewardships that came to nothing before one does not. */
export const electoratesMax = 16

export function encodeSiteRecord({ decided, isLaidDown, promised, accepted }: SiteRecord): Uint8Array {
  const writer = new MessageWriter()
  writeOptional(writer, decided, writeStewardship)
  writer.byte(isLaidDown ? 1 : 0)
  writeOptional(writer, promised, writeBallot)
  writeOptional(writer, accepted, writeAccepted)
  return writer.finish()
}

export function decodeSiteRecord(bytes: Uint8Array): SiteRecord {
  const reader = new MessageReader(bytes)
  return {
    decided: readOptional(reader, readStewardship),
    isLaidDown: reader.byte() === 1,
    promised: readOptional(reader, readBallot),
    accepted: readOptional(reader, readAccepted),
  }
}

export function writeStewardship(writer: MessageWriter, stewardship: Stewardship): void {
  const { epoch, steward, members, before } = stewardship
  writer.text(steward)
  writeElectorate(writer, { epoch, members })
  writer.number(before.length)
  for (const electorate of before) writeElectorate(writer, electorate)
}

export function readStewardship(reader: MessageReader): Stewardship {
  const steward = readPeer(reader)
  const { epoch, members } = readElectorate(reader)
  const before = Array.from({ length: reader.number(electoratesMax) }, () => readElectorate(reader))
  return { epoch, steward, members, before }
}

function writeElectorate(writer: MessageWriter, { epoch, members }: Electorate): void {
  writer.number(epoch).number(members.length)
  for (const peer of members) writer.text(peer)
}

function readElectorate(reader: MessageReader): Electorate {
  const epoch = reader.counter()
  const members = Array.from({ length: reader.number(membersMax) }, () => readPeer(reader))
  if (members.length === 0) throw new MessageMalformed('a site without members')
  if (new Set(members).size !== members.length) throw new MessageMalformed('a peer is named twice')
  return { epoch, members }
}

export function writeBallot(writer: MessageWriter, { round, peer }: Ballot): void {
  writer.number(round).text(peer)
}

export function readBallot(reader: MessageReader): Ballot {
  return { round: reader.counter(), peer: readPeer(reader) }
}

export function writeAccepted(writer: MessageWriter, { ballot, stewardship }: Accepted): void {
  writeBallot(writer, ballot)
  writeStewardship(writer, stewardship)
}

export function readAccepted(reader: MessageReader): Accepted {
  return { ballot: readBallot(reader), stewardship: readStewardship(reader) }
}

export function writeOptional<T>(
  writer: MessageWriter,
  value: T | undefined,
  write: (writer: MessageWriter, value: T) => void,
): void {
  writer.byte(value === undefined ? 0 : 1)
  if (value !== undefined) write(writer, value)
}

export function readOptional<T>(reader: MessageReader, read: (reader: MessageReader) => T): T | undefined {
  return reader.byte() === 1 ? read(reader) : undefined
}

function readPeer(reader: MessageReader): PeerId {
  const peer = reader.name(peerBytesMax)
  if (peer === '') throw new MessageMalformed('a peer without a name')
  return peer
}
