// How many addresses of one network prefix may have places on the ring of an open network, where the address decides the place.
//
// Addresses are cheap in bulk: whoever rents a block of them could choose among its places. So a /24 of IPv4 and a /48 of IPv6
// count as one owner, with `addressesMax` addresses. First come, first served; one that was not seen for `forgottenMs` makes
// room. Private and loopback addresses are not limited: nobody beyond the local network can have them.
// Counts only addresses at which a peer was seen, so nobody can use up a prefix by inventing addresses.
// Invariant: at most `prefixesMax` prefixes are remembered, the one seen longest ago is forgotten first.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import { ipv6Groups } from './network-prefix.ts'

export const addressesMax = 16
export const forgottenMs = 24 * 3_600_000
const prefixesMax = 65_536

export class PrefixLimits {
  readonly #clock: Clock
  /** By prefix: addresses, and when each was seen last. */
  readonly #seen = new LruCache<string, Map<string, number>>({ max: prefixesMax })

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
  }

  /** A peer is seen at this address: whether it may have places there. */
  isWithin(ip: string): boolean {
    const prefix = limitedPrefixOf(ip)
    if (prefix === undefined) return true
    const nowMs = this.#clock.monotonicMs()
    const addresses = this.#seen.get(prefix) ?? new Map<string, number>()
    if (!addresses.has(ip) && addresses.size >= addressesMax) {
      for (const [address, seenMs] of addresses) if (nowMs - seenMs > forgottenMs) addresses.delete(address)
      if (addresses.size >= addressesMax) return false
    }
    addresses.set(ip, nowMs)
    this.#seen.set(prefix, addresses)
    return true
  }
}

const privateIpv4 =
  /^(?:10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./

/** undefined for addresses that are not limited. */
function limitedPrefixOf(ip: string): string | undefined {
  const ipv4 = ip.includes(':') ? /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] : ip
  if (ipv4 !== undefined) return privateIpv4.test(ipv4) ? undefined : ipv4.slice(0, ipv4.lastIndexOf('.'))
  const groups = ipv6Groups(ip)
  const isLoopback = groups.slice(0, 7).every((group) => group === '0')
  return isLoopback || /^(?:f[cd]|fe[89ab])/.test(groups[0]!.padStart(4, '0'))
    ? undefined
    : groups.slice(0, 3).join(':')
}
