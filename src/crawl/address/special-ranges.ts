// Addresses that no public web site has: IANA's special-purpose registries (RFC 6890 and its updates), multicast and
// the reserved space.
//
// IPv4 is a list of what is special. IPv6 is the other way round: global unicast is 2000::/3, all else is special, and
// so are some ranges within it. Ranges that IANA calls globally reachable but that serve protocols instead of sites
// (anycast relays, AS112, ORCHID) are special here too: nothing on them is worth the doubt.

import { type AddressRange, isInRange, parseAddressRange } from './address-range.ts'
import type { IpAddress } from './ip-address.ts'

type Named = readonly [range: AddressRange, name: string]

const named = (text: string, name: string): Named => [parseAddressRange(text), name]

const specialIpv4: readonly Named[] = [
  named('0.0.0.0/8', 'this network'),
  named('10.0.0.0/8', 'private'),
  named('100.64.0.0/10', 'shared by carriers (CGNAT)'),
  named('127.0.0.0/8', 'loopback'),
  named('169.254.0.0/16', 'link-local'),
  named('172.16.0.0/12', 'private'),
  named('192.0.0.0/24', 'protocol assignments'),
  named('192.0.2.0/24', 'documentation'),
  named('192.31.196.0/24', 'AS112'),
  named('192.52.193.0/24', 'multicast relays'),
  named('192.88.99.0/24', '6to4 relays'),
  named('192.168.0.0/16', 'private'),
  named('192.175.48.0/24', 'AS112'),
  named('198.18.0.0/15', 'benchmarking'),
  named('198.51.100.0/24', 'documentation'),
  named('203.0.113.0/24', 'documentation'),
  named('224.0.0.0/4', 'multicast'),
  named('255.255.255.255/32', 'broadcast'),
  named('240.0.0.0/4', 'reserved'),
]

const globalUnicast = parseAddressRange('2000::/3')

const specialIpv6: readonly Named[] = [
  named('2001::/32', 'Teredo'),
  named('2001::/23', 'protocol assignments'),
  named('2001:db8::/32', 'documentation'),
  named('2002::/16', '6to4'),
  named('2620:4f:8000::/48', 'AS112'),
  named('3fff::/20', 'documentation'),
  // Outside of global unicast; listed so that a refusal can say what they are.
  named('::/128', 'unspecified'),
  named('::1/128', 'loopback'),
  named('::/96', 'IPv4-compatible'),
  named('64:ff9b:1::/48', 'local translation from IPv4'),
  named('100::/64', 'discard'),
  named('5f00::/16', 'segment routing'),
  named('fc00::/7', 'private (unique local)'),
  named('fe80::/10', 'link-local'),
  named('fec0::/10', 'site-local'),
  named('ff00::/8', 'multicast'),
]

/** What makes the address special, or undefined when it is an ordinary public one. */
export function specialNameOf(address: IpAddress): string | undefined {
  const list = address.length === 4 ? specialIpv4 : specialIpv6
  const found = list.find(([range]) => isInRange(address, range))
  if (found !== undefined) return found[1]
  return address.length === 4 || isInRange(address, globalUnicast) ? undefined : 'reserved'
}
