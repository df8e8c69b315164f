// Queue entry: a URL waiting to be fetched, as it lies on disk under its lane and rank.
//
// The rank orders a lane's queue: class (seeds, redirects, requisites, navigation, sitemaps; urgent ones first within a
// class), then depth, then first come, first served. Breadth first makes depths come out smallest.
// The lane tells the authority, so only scheme and target are written, and of `via` only its target where it is of the
// same origin.

import type { Discovery, DiscoveryKind } from './discovery.ts'

export interface QueueEntry {
  href: string
  kind: DiscoveryKind
  depth: number
  via: string
  requisiteHops: number
  redirects: number
  attempt: number
}

const kindLetters: Record<DiscoveryKind, string> = {
  seed: 's',
  redirect: 'r',
  requisite: 'q',
  navigation: 'n',
  sitemap: 'm',
}
const kindOfLetter = new Map(
  Object.entries(kindLetters).map(([kind, letter]) => [letter, kind as DiscoveryKind]),
)

const classes: Record<DiscoveryKind, number> = {
  seed: 0x10,
  redirect: 0x20,
  requisite: 0x30,
  navigation: 0x40,
  sitemap: 0x50,
}
const depthMax = 255

/** Eight characters of one byte each, which compare as the queue is ordered. */
export function rankOf(discovery: Pick<Discovery, 'kind' | 'depth' | 'priority'>, sequence: number): string {
  const urgency = Math.min(1, Math.max(0, discovery.priority ?? 0.5))
  const bytes = Buffer.allocUnsafe(8)
  bytes[0] = classes[discovery.kind] + Math.round(15 * (1 - urgency))
  bytes[1] = Math.min(depthMax, discovery.depth)
  bytes.writeUIntBE(sequence, 2, 6)
  return bytes.toString('latin1')
}

/** The same class and depth, but at the end of them. */
export function rankAgain(rank: string, sequence: number): string {
  const bytes = Buffer.from(rank, 'latin1')
  bytes.writeUIntBE(sequence, 2, 6)
  return bytes.toString('latin1')
}

export function encodeQueueEntry(entry: QueueEntry, authority: string): Uint8Array {
  const { href, via, kind } = entry
  const originEnd = (href.startsWith('https:') ? 8 : 7) + authority.length
  const origin = href.slice(0, originEnd)
  const viaText = via.startsWith(origin) && via[originEnd] === '/' ? via.slice(originEnd) : via
  const counts = [entry.depth, entry.requisiteHops, entry.redirects, entry.attempt]
    .join(',')
    .replace(/(,0)+$/, '')
  const scheme = originEnd - authority.length === 8 ? 'S' : 'H'
  return Buffer.from(`${kindLetters[kind]}${counts}\n${scheme}${href.slice(originEnd)}\n${viaText}`, 'latin1')
}

export function decodeQueueEntry(bytes: Uint8Array, authority: string): QueueEntry {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const first = text.indexOf('\n')
  const second = text.indexOf('\n', first + 1)
  const [depth = 0, requisiteHops = 0, redirects = 0, attempt = 0] = text
    .slice(1, first)
    .split(',')
    .map(Number)
  const origin = `${text[first + 1] === 'S' ? 'https' : 'http'}://${authority}`
  const via = text.slice(second + 1)
  return {
    kind: kindOfLetter.get(text[0]!)!,
    depth,
    requisiteHops,
    redirects,
    attempt,
    href: origin + text.slice(first + 2, second),
    via: via.startsWith('/') ? origin + via : via,
  }
}
