// Contacts and lists of them as bytes.
//
// A place is never sent: the reader works it out from identity and index, so nobody can claim one that is not its own. A
// contact tells its size first, so that later versions can say more about it.

import type { RingKey } from '../../record/ring-key.ts'
import { positionsMax } from '../place.ts'
import type { Contact } from '../ring.ts'
import { RingMessageMalformed } from '../ring-error.ts'
import { isOrderly, type SuccessorList } from '../successor-list.ts'
import { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'

/** Where such a position lies in our network. */
export type PlaceFinder = (peer: string, index: number, address: string) => RingKey

/** Also of a later version's lists, which may be longer than ours. */
const entriesMax = 64

export function writeContact(writer: ByteWriter, { peer, index, address }: Contact): void {
  writer.u16(3 + peer.length + address.length)
  writer.u8(index).text(peer).text(address)
}

export function readContact(reader: ByteReader, placeOf: PlaceFinder): Contact {
  const own = new ByteReader(reader.bytes(reader.u16()))
  const index = own.u8()
  if (index >= positionsMax) throw new RingMessageMalformed(`a position with index ${index}`)
  const peer = own.text()
  if (peer === '') throw new RingMessageMalformed('a peer without a name')
  const address = own.text()
  return { peer, index, address, place: placeOf(peer, index, address) }
}

export function writeContacts(writer: ByteWriter, contacts: readonly Contact[]): void {
  writer.u8(contacts.length)
  for (const contact of contacts) writeContact(writer, contact)
}

export function readContacts(reader: ByteReader, placeOf: PlaceFinder): Contact[] {
  const count = reader.u8()
  if (count > entriesMax) throw new RingMessageMalformed(`a list of ${count}`)
  return Array.from({ length: count }, () => readContact(reader, placeOf))
}

export function writeList(writer: ByteWriter, list: SuccessorList): void {
  writer.u8(list.isWhole ? 1 : 0)
  writeContacts(writer, list.entries)
}

/** The list of a position at `self`: one that is not in the order of the ring is refused. */
export function readList(reader: ByteReader, self: RingKey, placeOf: PlaceFinder): SuccessorList {
  const isWhole = (reader.u8() & 1) === 1
  const list = { entries: readContacts(reader, placeOf), isWhole }
  if (!isOrderly(self, list)) throw new RingMessageMalformed('a successor list out of order')
  return list
}
