// What a home keeps of its network: which one, why it belongs, and (where the network was made) the key to invite with.
//
// Written as JSON, for the owner's eyes only: whoever has the seed can invite.

import { type ArchiveNetwork, readNetwork, writeNetwork } from './archive-network.ts'
import { bytesToText, fieldsOf, keyIn, Unfit } from './fields.ts'
import { type Membership, readMembership, writeMembership } from './membership.ts'
import { NetworkError } from './network-error.ts'
import type { Seed } from './signing.ts'

export interface NetworkFile {
  readonly network: ArchiveNetwork
  readonly membership: Membership | undefined
  /** The network's secret. */
  readonly seed: Seed | undefined
}

const format = 1

export function writeNetworkFile({ network, membership, seed }: NetworkFile): string {
  const fields = {
    format,
    network: writeNetwork(network),
    ...(membership && { membership: writeMembership(membership) }),
    ...(seed && { seed: bytesToText(seed) }),
  }
  return `${JSON.stringify(fields, undefined, 2)}\n`
}

export function readNetworkFile(text: string, path: string): NetworkFile {
  try {
    const fields = fieldsOf(JSON.parse(text))
    if (fields.format !== format) throw new Unfit('format')
    return {
      network: readNetwork(fieldsOf(fields.network)),
      membership: fields.membership === undefined ? undefined : readMembership(fieldsOf(fields.membership)),
      seed: fields.seed === undefined ? undefined : keyIn(fields, 'seed'),
    }
  } catch (error) {
    if (!(error instanceof Unfit) && !(error instanceof SyntaxError)) throw error
    throw new NetworkError(
      'network-file-damaged',
      `${path} cannot be read: it is damaged, or of a later version`,
    )
  }
}
