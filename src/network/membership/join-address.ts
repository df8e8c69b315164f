// Where to find a first peer, as people write it, and the DNS entries that lead there.
//
// `/ip4/192.0.2.1/tcp/7071/p2p/12D3…`  an address as `polyhistor ring` shows it
// `/ip4/…/p2p/RELAY/p2p-circuit/p2p/12D3…`  the same through another peer
// `archive.example.org:7071`          a host and its port; also `192.0.2.1:7071` and `[2001:db8::1]:7071`
// `archive.example.org`               a name with `dnsaddr` entries, also written `/dnsaddr/archive.example.org`
//
// A `dnsaddr` entry is a TXT record at `_dnsaddr.NAME` that says `dnsaddr=ADDRESS`; an address may be another name's.

import { NetworkError } from './network-error.ts'

type JoinAddress =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'name'; readonly name: string; readonly suffix: string }

/** Looks up TXT records; none when there is no such name. */
type TextLookup = (name: string) => Promise<string[]>

const namesMax = 16
const depthMax = 4
export const addressesFoundMax = 64

export function parseJoinAddress(text: string): JoinAddress {
  const word = text.trim()
  const dnsaddr = /^\/dnsaddr\/([a-z0-9._-]+)((?:\/p2p\/[A-Za-z0-9]+)?)$/i.exec(word)
  if (dnsaddr) return { kind: 'name', name: dnsaddr[1]!, suffix: dnsaddr[2]! }
  if (
    /^\/(ip4|ip6|dns|dns4|dns6)\/[^/]+\/tcp\/\d+(\/p2p\/[A-Za-z0-9]+(\/p2p-circuit\/p2p\/[A-Za-z0-9]+)?)?$/.test(
      word,
    )
  ) {
    return { kind: 'address', address: word }
  }
  const hostAndPort = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(word)
  if (hostAndPort && Number(hostAndPort[3]) <= 65_535) {
    const host = hostAndPort[1] ?? hostAndPort[2]!
    return { kind: 'address', address: `/${protocolOf(host)}/${host}/tcp/${Number(hostAndPort[3])}` }
  }
  if (/^(?=.*[a-z])[a-z0-9-]+(\.[a-z0-9-]+)+\.?$/i.test(word)) return { kind: 'name', name: word, suffix: '' }
  throw new NetworkError(
    'network-address',
    `${JSON.stringify(text)} is no address of a peer: write HOST:PORT, a name with dnsaddr entries, or /ip4/ADDRESS/tcp/PORT/p2p/PEER.`,
  )
}

function protocolOf(host: string): string {
  if (/^\d+(\.\d+){3}$/.test(host)) return 'ip4'
  return host.includes(':') ? 'ip6' : 'dns'
}

/** The addresses that a name's entries lead to, names within names followed, so many and no more. */
export async function addressesOfName(
  name: JoinAddress & { kind: 'name' },
  lookup: TextLookup,
): Promise<string[]> {
  const found = new Set<string>()
  const seen = new Set<string>()
  let names: { name: string; suffix: string }[] = [name]
  for (let depth = 0; depth < depthMax && names.length > 0; depth++) {
    const next: typeof names = []
    for (const { name, suffix } of names) {
      if (seen.has(name) || seen.size >= namesMax) continue
      seen.add(name)
      for (const entry of entriesOf(await lookup(`_dnsaddr.${name}`), suffix)) {
        if (entry.kind === 'name') next.push(entry)
        else if (found.size < addressesFoundMax) found.add(entry.address)
      }
    }
    names = next
  }
  return [...found]
}

/** Of `/dnsaddr/NAME/p2p/PEER` only the entries that lead to that peer count. */
function entriesOf(records: readonly string[], suffix: string): JoinAddress[] {
  return records.flatMap((record) => {
    const address = /^dnsaddr=(.+)$/.exec(record.trim())?.[1]
    if (address === undefined || !address.endsWith(suffix)) return []
    try {
      return [parseJoinAddress(address)]
    } catch {
      // Entries for other programs and other transports stand beside ours.
      return []
    }
  })
}
