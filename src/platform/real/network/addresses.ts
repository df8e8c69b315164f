// Where peers can be reached, as far as we have heard.
//
// Invariants: so many peers and so many addresses of each; the latest heard of stay longest. Addresses come from other
// peers: what is no address, or names another peer, is passed over when it comes to dialling.

import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { LruCache } from '../../../model/lru-cache.ts'
import type { PeerId } from '../../network/network.ts'

const peersMax = 65_536
const peerAddressesMax = 16
const addressCharactersMax = 512

export class AddressStore {
  /** As they were told: most are never dialled, and those that are, are parsed then. */
  readonly #addresses = new LruCache<PeerId, readonly string[]>({ max: peersMax })

  add(peer: PeerId, addresses: readonly string[]): void {
    const known = this.#addresses.get(peer) ?? []
    const isNews = addresses.some((address) => !known.includes(address))
    const fresh = isNews ? addresses.filter(({ length }) => length <= addressCharactersMax) : []
    this.#addresses.set(peer, isNews ? [...new Set([...fresh, ...known])].slice(0, peerAddressesMax) : known)
  }

  of(peer: PeerId): Multiaddr[] {
    return (this.#addresses.get(peer) ?? []).flatMap((address) => parseAddress(peer, address))
  }
}

function parseAddress(peer: PeerId, address: string): Multiaddr[] {
  try {
    const parsed = multiaddr(address)
    const suffix = `/p2p/${peer}`
    if (address.endsWith(suffix)) return [parsed]
    // An address that names another peer would lead there.
    return address.includes('/p2p/') ? [] : [parsed.encapsulate(suffix)]
  } catch {
    return []
  }
}
