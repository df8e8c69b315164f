// Loose URL: the parts of a URL that WHATWG refuses (a space in the host, a port of 99999), cut by RFC 2396's
// pattern as the Internet Archive's library does, so that what older crawlers recorded still finds a key.
//
// Such a URL is never fetched: see url.ts.

import { domainToASCII } from 'node:url'
import { decodeRepeatedly, encodeMinimally, utf8ByteString } from './percent-encoding.ts'
import type { SurtParts } from './surt.ts'

const urlPattern = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i

const defaultPorts: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
  ['ftp', '21'],
])

/** Null if there is no host to find. */
export function looseUrlParts(absolute: string): SurtParts | null {
  const match = urlPattern.exec(absolute)
  if (match === null) return null
  const [, scheme = '', written = '', path = '', query = ''] = match
  const authority = written.slice(written.lastIndexOf('@') + 1)
  const colon = /:[0-9]*$/.exec(authority)?.index ?? authority.length
  const host = looseHost(authority.slice(0, colon))
  if (host === '') return null
  const port = authority.slice(colon + 1)
  return {
    host,
    port: port === defaultPorts.get(scheme.toLowerCase()) ? '' : port,
    path: utf8ByteString(path),
    query: utf8ByteString(query),
  }
}

function looseHost(written: string): string {
  const decoded = decodeRepeatedly(utf8ByteString(written.replace(/^\[(.*)\]$/, '$1')))
  const isAscii = !/[^\x00-\x7f]/.test(decoded)
  const host = isAscii ? decoded : domainToASCII(Buffer.from(decoded, 'latin1').toString('utf8')) || decoded
  // Some crawlers wrote an address as a number of more than 32 bits: the lower 32 are the address.
  if (/^[0-9]+$/.test(host)) return ipv4OfNumber(BigInt(host))
  return encodeMinimally(host).toLowerCase()
}

function ipv4OfNumber(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.')
}
