// Tickets as bytes: the names that are asked for, and one proof for each, or nothing where none is known. What a proof holds is
// the network's business (src/network/membership/): here it is bytes.

import { MessageMalformed } from '../../../formats/wire/message-bytes.ts'
import { byte } from '../../../formats/wire/message-fields.ts'
import { list, Schema, versioned } from '../../../formats/wire/message-schema.ts'

/** More than the longest answer names. */
export const ticketsMax = 200
const proofBytesMax = 16_384
const version = 1

const proof = new Schema<Uint8Array | undefined>(
  (reader) => {
    const length = reader.uint(2)
    if (length > proofBytesMax) throw new MessageMalformed(`a ticket of ${length} bytes`)
    return length === 0 ? undefined : reader.fixed(length)
  },
  (writer, value = new Uint8Array()) => writer.uint(value.length, 2).fixed(value),
)

export const ticketProofs = versioned(
  version,
  list(proof, 255, byte),
  () => new MessageMalformed('tickets of another version'),
)
