// What a home keeps of its network: which one, why it belongs, and (where the network was made) the key to invite with.
//
// Written as JSON, for the owner's eyes only: whoever has the seed can invite. Format 1 is from before there were tickets:
// it is read, and written as format 2 when the peer next starts (src/app/ring/membership-files.ts).

import type { PeerId } from '../../platform/network/network.ts'
import { type ArchiveNetwork, readNetwork, writeNetwork } from './archive-network.ts'
import { bytesToText, type Fields, fieldsOf, keyIn, textsIn, Unfit } from './fields.ts'
import { type Invitation, readInvitationKey, writeGrant } from './invitation.ts'
import { type Membership, peerIdLengthMax, readMembership, writeMembership } from './membership.ts'
import { NetworkError } from './network-error.ts'
import type { Seed } from './signing.ts'

export interface NetworkFile {
  readonly network: ArchiveNetwork
  readonly membership: Membership | undefined
  /** The network's secret. */
  readonly seed: Seed | undefined
  /** Of an invitation with several tickets: to take another one should ours turn out to be somebody else's. */
  readonly invitation?: Invitation['admission']
  /** Peers that this home knew before there were tickets: see member-directory.ts. Nothing in a file of format 1. */
  readonly oldMembers?: readonly PeerId[] | undefined
}

const format = 2
const formatWithoutTickets = 1
export const oldMembersMax = 4_096

export function writeNetworkFile(file: NetworkFile): string {
  const { network, membership, seed, invitation, oldMembers = [] } = file
  const fields = {
    format,
    network: writeNetwork(network),
    ...(membership && { membership: writeMembership(membership) }),
    ...(seed && { seed: bytesToText(seed) }),
    ...(invitation && {
      invitation: { grant: writeGrant(invitation.grant), seed: bytesToText(invitation.seed) },
    }),
    ...(oldMembers.length > 0 && { oldMembers }),
  }
  return `${JSON.stringify(fields, undefined, 2)}\n`
}

export function readNetworkFile(text: string, path: string): NetworkFile {
  try {
    return networkFileFrom(fieldsOf(JSON.parse(text)))
  } catch (error) {
    if (!(error instanceof Unfit) && !(error instanceof SyntaxError)) throw error
    throw new NetworkError(
      'network-file-damaged',
      `${path} cannot be read: it is damaged, or of a later version`,
    )
  }
}

function networkFileFrom(fields: Fields): NetworkFile {
  if (fields.format !== format && fields.format !== formatWithoutTickets) throw new Unfit('format')
  const network = readNetwork(fieldsOf(fields.network))
  return {
    network,
    membership: fields.membership === undefined ? undefined : readMembership(fieldsOf(fields.membership)),
    seed: fields.seed === undefined ? undefined : keyIn(fields, 'seed'),
    invitation:
      fields.invitation === undefined ? undefined : readInvitationKey(fieldsOf(fields.invitation), network),
    oldMembers: fields.format === format ? readOldMembers(fields) : undefined,
  }
}

function readOldMembers(fields: Fields): string[] {
  return fields.oldMembers === undefined ? [] : textsIn(fields, 'oldMembers', oldMembersMax, peerIdLengthMax)
}
