// Loose URL: the parts of a URL that WHATWG refuses (a space in the host, a port of 99999), cut by RFC 2396's
// pattern as the Internet Archive's library does, so that what older crawlers recorded still finds a key.
//
// Such a URL is never fetched: see url.ts.

import { domainToASCII } from 'node:url'
import { decodeRepeatedly, encodeMinimally, utf8ByteString } from './percent-encoding.ts'
import type { SurtParts } from './surt.ts'

const urlPattern = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i

/** Null if there is no host to find. */
export function looseUrlParts(absolute: string): SurtParts | null {
  const match = urlPattern.exec(absolute)
  if (match === null) return null
  const authority = match[1]!.slice(match[1]!.lastIndexOf('@') + 1)
  const port = /:([0-9]*)$/.exec(authority)
  const host = looseHost(port === null ? authority : authority.slice(0, port.index))
  if (host === '') return null
  return {
    host,
    port: port?.[1] ?? '',
    path: utf8ByteString(match[2]!),
    query: utf8ByteString(match[3] ?? ''),
  }
}

function looseHost(written: string): string {
  const decoded = decodeRepeatedly(utf8ByteString(written.replace(/^\[(.*)\]$/, '$1')))
  const isAscii = !/[^\x00-\x7f]/.test(decoded)
  const host = isAscii ? decoded : domainToASCII(Buffer.from(decoded, 'latin1').toString('utf8')) || decoded
  // Some crawlers wrote an address as a number of more than 32 bits: the lower 32 are the address.
  if (/^[0-9]+$/.test(host)) return ipv4OfNumber(BigInt.asUintN(32, BigInt(host)))
  return encodeMinimally(host).toLowerCase()
}

function ipv4OfNumber(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.')
}
