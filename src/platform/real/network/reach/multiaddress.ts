// What the text of a multiaddress says of the way there.

import { BlockList, isIP } from 'node:net'

const loopback = /^\/ip4\/127\.|^\/ip6\/::1\/|^\/ip6\/fe80:/
const local =
  /^\/ip4\/(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^\/ip6\/f[cd]/

/** Where no other machine's peer can be: this machine however it is written, its link, many machines at once. IPv6 addresses that stand
 * for IPv4 ones count as these. */
const nowhere = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  nowhere.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 127],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  nowhere.addSubnet(network, bits, 'ipv6')

/** Through a third peer. */
export function isRelayed(address: string): boolean {
  return address.includes('/p2p-circuit')
}

export function isLoopback(address: string): boolean {
  return loopback.test(address)
}

/** Whether it is dialled when another peer says that it is there: straight, and given as a number, since a name can lead anywhere. */
export function canBeOffered(address: string): boolean {
  const [, host = ''] = /^\/ip[46]\/([^/]+)\/tcp\/[1-9]\d{0,4}(?:\/|$)/.exec(address) ?? []
  const family = isIP(host)
  return !isRelayed(address) && family !== 0 && !nowhere.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** 0: from anywhere, as far as the address tells; 1: on local networks; 2: on this machine. */
export function reachOf(address: string): 0 | 1 | 2 {
  if (loopback.test(address)) return 2
  return local.test(address) ? 1 : 0
}

/** Public addresses first, then those of local networks, then those that no other machine can use; of each, direct ones first. */
export function byReach(addresses: readonly string[]): string[] {
  const rank = (address: string): number => 2 * reachOf(address) + (isRelayed(address) ? 1 : 0)
  return addresses.toSorted((one, other) => rank(one) - rank(other))
}

/** `/ip4/192.0.2.1` of `/ip4/192.0.2.1/tcp/7071/p2p/…`; not of a relayed one, which names the relay's. */
export function hostPartOf(address: string): string | undefined {
  return isRelayed(address) ? undefined : /^\/ip[46]\/[^/]+(?=\/tcp\/)/.exec(address)?.[0]
}

/** `/ip4/192.0.2.1/tcp/7071`, without whose it is. */
export function placePartOf(address: string): string | undefined {
  return isRelayed(address) ? undefined : /^\/(?:ip[46]|dns[46]?)\/[^/]+\/tcp\/\d+/.exec(address)?.[0]
}

export function portOf(address: string): number | undefined {
  const port = /^\/ip[46]\/[^/]+\/tcp\/(\d+)/.exec(address)?.[1]
  return port === undefined ? undefined : Number(port)
}

/** Who passes on: `R` of `…/p2p/R/p2p-circuit/…`. */
export function relayOf(address: string): string | undefined {
  return /\/p2p\/([^/]+)\/p2p-circuit/.exec(address)?.[1]
}
