// The part of an address that tells networks apart: what fails together, or belongs to one owner, mostly shares it.

const ipv4Octets = 2
const ipv6GroupsOfPrefix = 3

/** `10.1` of /ip4/10.1.2.3/tcp/4001, `2001:db8:0` of an IPv6 one; undefined when there is no IP address in it, or only that of a
 * relay. */
export function networkPrefixOf(address: string): string | undefined {
  if (address.includes('/p2p-circuit')) return undefined
  const ip = ipOf(address)
  if (ip === undefined) return undefined
  if (!ip.includes(':')) return ip.split('.').slice(0, ipv4Octets).join('.')
  const mapped = /^::ffff:(\d+\.\d+)\.\d+\.\d+$/i.exec(ip)
  return mapped ? mapped[1]! : ipv6Groups(ip).slice(0, ipv6GroupsOfPrefix).join(':')
}

/** The IP address in a multiaddr. */
export function ipOf(address: string): string | undefined {
  return /^\/ip[46]\/([0-9a-fA-F.:]+)(?:\/|$)/.exec(address)?.[1]
}

/** All eight groups of an IPv6 address, without leading zeros. */
export function ipv6Groups(ip: string): string[] {
  const [head = '', tail] = ip.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = Math.max(0, 8 - before.length - after.length)
  const filling = tail === undefined ? [] : Array.from({ length: missing }, () => '0')
  return [...before, ...filling, ...after].map((group) => group.replace(/^0+(?=.)/, ''))
}
