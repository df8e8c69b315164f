// Peers to begin with next time, as a file holds them.
//
// Only a help: a file that cannot be read is one without peers.

import type { PeerId } from '../../platform/network/network.ts'
import { fieldsOf, textIn, textsIn, Unfit } from './fields.ts'
import { addressesMax, addressLengthMax } from './invitation.ts'
import { peerIdLengthMax } from './membership.ts'

export interface RememberedPeer {
  peer: PeerId
  addresses: string[]
}

const peersMax = 256

export function writeRememberedPeers(networkId: string, peers: readonly RememberedPeer[]): string {
  const lines = peers
    .filter(({ addresses }) => addresses.length > 0)
    .slice(0, peersMax)
    .map(({ peer, addresses }) => ({ peer, addresses: addresses.slice(0, addressesMax) }))
  return `${JSON.stringify({ network: networkId, peers: lines }, undefined, 1)}\n`
}

/** Those of another network are of no use. */
export function readRememberedPeers(networkId: string, text: string): RememberedPeer[] {
  try {
    const fields = fieldsOf(JSON.parse(text))
    if (fields.network !== networkId || !Array.isArray(fields.peers)) return []
    return fields.peers.slice(0, peersMax).map((value) => {
      const peer = fieldsOf(value)
      return {
        peer: textIn(peer, 'peer', peerIdLengthMax),
        addresses: textsIn(peer, 'addresses', addressesMax, addressLengthMax),
      }
    })
  } catch (error) {
    if (error instanceof Unfit || error instanceof SyntaxError) return []
    throw error
  }
}
