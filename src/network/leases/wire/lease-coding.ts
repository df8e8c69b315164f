// Leases and site records as bytes: on disk and in messages.

import { counter, flag, printable } from '../../../formats/wire/message-fields.ts'
import { list, optional, record, type Schema } from '../../../formats/wire/message-schema.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Accepted, Ballot, Lease, SiteRecord } from '../lease.ts'

const membersMax = 64
const peerBytesMax = 128
/** Failed leases in a row that a lease can name. */
export const electoratesMax = 16

const peer: Schema<PeerId> = printable(peerBytesMax).checked((name) => name !== '', 'a peer without a name')

const electorate = {
  epoch: counter,
  members: list(peer, membersMax)
    .checked(({ length }) => length > 0, 'a site without members')
    .checked((members) => new Set(members).size === members.length, 'a peer is named twice'),
}

export const lease: Schema<Lease> = record({
  holder: peer,
  ...electorate,
  before: list(record(electorate), electoratesMax),
})

export const ballot: Schema<Ballot> = record({ round: counter, peer })

export const accepted: Schema<Accepted> = record({ ballot, lease })

export const siteRecord: Schema<SiteRecord> = record({
  decided: optional(lease),
  isLaidDown: flag,
  promised: optional(ballot),
  accepted: optional(accepted),
})
