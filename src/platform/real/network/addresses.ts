// Where peers can be reached, as far as we have heard.
//
// Invariants: so many peers and so many addresses of each; the latest heard of stay longest. Addresses come from other
// peers: what is no address, or names another peer, is passed over when it comes to dialling.

import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { LruCache } from '../../../model/lru-cache.ts'
import type { PeerId } from '../../network.ts'

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

/** Public addresses first, then those of local networks, then those that no other machine can use. */
export function byReach(addresses: readonly string[]): string[] {
  return addresses.toSorted((one, other) => reachOf(one) - reachOf(other))
}

function reachOf(address: string): number {
  if (/^\/ip4\/127\.|^\/ip6\/::1\/|^\/ip6\/fe80:/.test(address)) return 2
  if (/^\/ip4\/(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)\.|^\/ip6\/f[cd]/.test(address)) return 1
  return 0
}
