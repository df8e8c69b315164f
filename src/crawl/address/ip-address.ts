// IP addresses as bytes: 4 for IPv4, 16 for IPv6.
//
// Only the plain spellings are read: dotted decimal without leading zeros, RFC 4291 text with at most one `::` and an
// IPv4 tail. WHATWG URL parsing has turned every other spelling (0x7f.1, 017700000001, 2130706433) into these before
// an address comes here, and resolvers give nothing else. What cannot be read is no address, and is never allowed.

/** 4 or 16 bytes, most significant first. */
export type IpAddress = Uint8Array

export function parseIpAddress(text: string): IpAddress | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

/** The address that a URL's host spells, or undefined when the host is a name. */
export function addressOfHost(host: string): string | undefined {
  if (host.startsWith('[') && host.endsWith(']')) return host.slice(1, -1)
  return parseIpv4(host) === undefined ? undefined : host
}

function parseIpv4(text: string): IpAddress | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  const bytes = new Uint8Array(4)
  for (let index = 0; index < 4; index++) {
    const part = match[index + 1]!
    // Some programs read a leading zero as octal, others do not: nobody can say which address is meant.
    if (Number(part) > 255 || (part.length > 1 && part.startsWith('0'))) return undefined
    bytes[index] = Number(part)
  }
  return bytes
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = groupsOf(halves[0]!, halves.length === 1)
  const tail = halves.length === 2 ? groupsOf(halves[1]!, true) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const bytes = new Uint8Array(16)
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail]
  groups.forEach((group, index) => {
    bytes[2 * index] = group >> 8
    bytes[2 * index + 1] = group & 0xff
  })
  return bytes
}

function groupsOf(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    const ipv4 = mayEndInIpv4 && isLast && part.includes('.') ? parseIpv4(part) : undefined
    if (ipv4 !== undefined) groups.push((ipv4[0]! << 8) | ipv4[1]!, (ipv4[2]! << 8) | ipv4[3]!)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}
