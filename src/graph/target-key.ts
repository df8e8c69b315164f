// Target key: what links to a URL are looked up by: 24 bits for its site and 30 for the URL, so that all that leads to a site lies
// together; 10 bits are left for the place of a page in its run (link-postings.ts).
//
// Not proof: two URLs may share a key, so whoever looks one up compares hrefs. Made for every link of a page that is new, in the thread
// that reads it, so a plain hash in place of a cryptographic one, sites remembered by host, and two words in place of a number of 64
// bits. Of a page that was seen before they are made for links that have come only.

import { type RingKey, ringKeyOfSite } from '../model/ring-key.ts'
import type { SiteKey } from '../model/url/site.ts'
import { tryParseUrl } from '../model/url/url.ts'

export const placeBits = 10
/** Low word, high word. */
export const wordsPerTarget = 2
const urlHighBits = 8

export interface TargetRange {
  readonly from: bigint
  /** Included. */
  readonly to: bigint
}

const sites = new Map<string, number>()
const sitesMax = 4_096
/** That of the last link, with its slash: most links of a page have the same. */
let lastOrigin = ''
let lastBits = 0

/** One after the other, low word first; `hrefs` one to a line. */
export function targetsOf(hrefs: string, count: number): Uint32Array {
  const words = new Uint32Array(wordsPerTarget * count)
  for (let i = 0, start = 0; i < count; i++) {
    const end = hrefs.indexOf('\n', start)
    const stop = end === -1 ? hrefs.length : end
    const hash = hashOf(hrefs, start, stop)
    words[wordsPerTarget * i] = hash << placeBits
    words[wordsPerTarget * i + 1] =
      (siteBitsAt(hrefs, start, stop) << urlHighBits) | (hash >>> (32 - urlHighBits))
    start = stop + 1
  }
  return words
}

/** All pages that may link to the URL. */
export function rangeOfUrl(href: string): TargetRange {
  const [low, high] = targetsOf(href, 1)
  const from = (BigInt(high!) << 32n) | BigInt(low!)
  return { from, to: from | ((1n << BigInt(placeBits)) - 1n) }
}

/** All pages that may link to the site. */
export function rangeOfSite(site: string): TargetRange {
  const from = BigInt(bitsOf(ringKeyOfSite(site as SiteKey))) << 40n
  return { from, to: from | ((1n << 40n) - 1n) }
}

/** Whether one of them, one to a line, leads to another site than this one, as far as keys can tell. */
export function leadElsewhere(hrefs: string, site: string): boolean {
  const own = bitsOf(ringKeyOfSite(site as SiteKey))
  for (let start = 0; start < hrefs.length; ) {
    const end = hrefs.indexOf('\n', start)
    const stop = end === -1 ? hrefs.length : end
    if (siteBitsAt(hrefs, start, stop) !== own) return true
    start = stop + 1
  }
  return false
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}

function siteBitsAt(hrefs: string, start: number, end: number): number {
  if (lastOrigin !== '' && hrefs.startsWith(lastOrigin, start)) return lastBits
  const slash = hrefs.indexOf('/', start + 8)
  const hasSlash = slash !== -1 && slash <= end
  const origin = hrefs.slice(start, hasSlash ? slash : end)
  const bits = siteBitsOf(origin)
  lastOrigin = hasSlash ? `${origin}/` : ''
  lastBits = bits
  return bits
}

function siteBitsOf(origin: string): number {
  const known = sites.get(origin)
  if (known !== undefined) return known
  const url = tryParseUrl(`${origin}/`)
  const bits = url === null ? 0 : bitsOf(url.ringKey)
  if (sites.size >= sitesMax) sites.clear()
  sites.set(origin, bits)
  return bits
}

function bitsOf(key: RingKey): number {
  return Number.parseInt(key.slice(0, 6), 16)
}
