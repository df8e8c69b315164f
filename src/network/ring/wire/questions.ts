// What peers ask each other about the ring, as bytes: a version, a kind, and the kind's fields.
//
// Fields are only ever added at the end, where older readers do not look. A change that older ones would misread needs a
// new version, which they refuse.

import { MessageMalformed } from '../../../formats/wire/message-bytes.ts'
import { byte, fixedView, hex, uint } from '../../../formats/wire/message-fields.ts'
import { type In, list, Schema, union, versioned } from '../../../formats/wire/message-schema.ts'
import { parseRingKey, type RingKey, ringKeyBytes } from '../../../model/ring-key.ts'
import type { OwnershipClaim } from '../protocol/ownership.ts'
import { plainText } from './contact-coding.ts'
import { ticketsMax } from './tickets.ts'

export const wireVersion = 1
export const nonceBytes = 16
/** In hundredths of a second. */
const wordUnitMs = 10
const wordOfOwner = 0xffff
/** For a position that asks without saying which it is. */
const nobody = 255

const claim = uint(2).as<OwnershipClaim>(
  (units) =>
    units === wordOfOwner ? { isOwner: true, agreedMs: 0 } : { isOwner: false, agreedMs: units * wordUnitMs },
  ({ isOwner, agreedMs }) =>
    isOwner ? wordOfOwner : Math.min(Math.floor(agreedMs / wordUnitMs), wordOfOwner - 1),
)

/** Which position of the asker's may precede the other's, and what it has to say to one that follows it. */
interface Notifier {
  readonly index: number
  readonly address: string
  readonly claim: OwnershipClaim
}

const notifier = new Schema<Notifier | undefined>(
  (reader) => {
    const index = reader.byte()
    if (index === nobody) return undefined
    return { index, address: plainText.read(reader), claim: claim.read(reader) }
  },
  (writer, value) => {
    writer.byte(value?.index ?? nobody)
    if (value !== undefined) claim.write(writer.text(value.address), value.claim)
  },
)

const ringKey = hex(ringKeyBytes).as<RingKey>(parseRingKey, (key) => key)
/** Of whom: one of my positions, to one of yours. */
const sender = { position: byte, sender: byte, address: plainText }

export const ringQuestion = versioned(
  wireVersion,
  union('question about the ring', {
    /** The state of your position. `digest` is of the state I have. */
    state: { position: byte, digest: uint(4), notifier },
    /** Who owns this key? With so many of its successors at most. */
    find: { key: ringKey, successorsMax: byte },
    /** My position may precede yours. */
    notify: sender,
    /** My list has changed: yours may want to follow. */
    poke: sender,
    /** My position leaves, and owned the keys from there on. */
    farewell: { ...sender, from: ringKey },
    /** Look yourself up through me. */
    hint: sender,
    /** Are you there, and are you who you say? */
    ping: { position: byte, nonce: fixedView(nonceBytes) },
    /** You named these peers: show their tickets. */
    tickets: { peers: list(plainText, ticketsMax, byte) },
  }),
  (version) => new MessageMalformed(`version ${version} is not spoken here`),
)
export type Question = In<typeof ringQuestion>
