// Contacts and lists of them as bytes.
//
// A place is never sent: the reader works it out from identity and index, so nobody can claim one that is not its own. A
// contact tells its size first, so that later versions can say more about it.

import {
  MessageMalformed,
  type MessageReader,
  type MessageWriter,
} from '../../../formats/wire/message-bytes.ts'
import { text } from '../../../formats/wire/message-fields.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { positionsMax } from '../protocol/place.ts'
import { isOrderly, type SuccessorList } from '../protocol/successor-list.ts'
import type { Contact } from '../ring.ts'

/** The contact of such a position, with its place in our network. */
export type ContactFinder = (peer: string, index: number, address: string) => Contact

/** Also of a later version's lists, which may be longer than ours. */
const entriesMax = 64

/** Of names and addresses: printable ASCII only, for they end up in logs and on terminals. */
export const plainText = text(255).checked(
  (given) => /^[\x21-\x7e]*$/.test(given),
  'a name with characters that names do not have',
)

export function writeContact(writer: MessageWriter, { peer, index, address }: Contact): void {
  writer.uint(1 + textBytes(peer) + textBytes(address), 2)
  writer.byte(index).text(peer).text(address)
}

export function readContact(reader: MessageReader, contactOf: ContactFinder): Contact {
  return reader.part(reader.uint(2), (own) => {
    const index = own.byte()
    if (index >= positionsMax) throw new MessageMalformed(`a position with index ${index}`)
    const peer = plainText.read(own)
    if (peer === '') throw new MessageMalformed('a peer without a name')
    const address = plainText.read(own)
    return contactOf(peer, index, address)
  })
}

/** With its length before it. */
function textBytes({ length }: string): number {
  return (length < 0x80 ? 1 : 2) + length
}

export function writeContacts(writer: MessageWriter, contacts: readonly Contact[]): void {
  writer.byte(contacts.length)
  for (const contact of contacts) writeContact(writer, contact)
}

export function readContacts(reader: MessageReader, contactOf: ContactFinder): Contact[] {
  const count = reader.byte()
  if (count > entriesMax) throw new MessageMalformed(`a list of ${count}`)
  const contacts: Contact[] = []
  for (let index = 0; index < count; index++) contacts.push(readContact(reader, contactOf))
  return contacts
}

export function writeList(writer: MessageWriter, list: SuccessorList): void {
  writer.byte(list.isWhole ? 1 : 0)
  writeContacts(writer, list.entries)
}

/** The list of a position at `self`: one that is not in the order of the ring is refused. */
export function readList(reader: MessageReader, self: RingKey, contactOf: ContactFinder): SuccessorList {
  const isWhole = (reader.byte() & 1) === 1
  const list = { entries: readContacts(reader, contactOf), isWhole }
  if (!isOrderly(self, list)) throw new MessageMalformed('a successor list out of order')
  return list
}
