// IPv4 addresses inside IPv6 ones: a packet to the one ends up at the other, so that both must be allowed.
//
// `stands-for`: the IPv6 address is only a way to write or reach the IPv4 one, which alone decides: mapped
// (::ffff:0:0/96), translated (::ffff:0:0:0/96) and NAT64 (64:ff9b::/96: with DNS64, all that an IPv6-only network sees
// of IPv4 sites). `contains`: both are judged: ISATAP identifiers (RFC 5214), under any prefix. 6to4, Teredo,
// IPv4-compatible and local NAT64 are refused whatever they contain: see special-ranges.ts.
// Not known here: a network's own NAT64 prefix within global unicast, which nobody outside of it can tell.

import { isInRange, parseAddressRange } from './address-range.ts'
import type { IpAddress } from './ip-address.ts'

interface EmbeddedAddress {
  readonly how: 'stands-for' | 'contains'
  readonly address: IpAddress
}

const standingFor = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map(parseAddressRange)

export function embeddedAddressOf(address: IpAddress): EmbeddedAddress | undefined {
  if (address.length !== 16) return undefined
  const tail = address.subarray(12)
  if (standingFor.some((range) => isInRange(address, range))) return { how: 'stands-for', address: tail }
  return isIsatap(address) ? { how: 'contains', address: tail } : undefined
}

/** Interface identifiers 0000:5efe:… and 0200:5efe:…. */
function isIsatap(address: IpAddress): boolean {
  return (address[8]! & ~0x02) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe
}
