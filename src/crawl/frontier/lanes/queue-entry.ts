// Queue entry: a URL waiting to be fetched, and its rank among those of its lane.
//
// The rank orders a lane's queue: class (seeds, redirects, requisites, navigation, sitemaps; urgent ones first within a
// class), then depth, then first come, first served. Breadth first makes depths come out smallest.

import type { Discovery, DiscoveryKind } from '../discovery.ts'

export interface QueueEntry {
  href: string
  kind: DiscoveryKind
  depth: number
  via: string
  requisiteHops: number
  redirects: number
  /** 0 for the first. */
  attempt: number
}

export const kindLetters: Record<DiscoveryKind, string> = {
  seed: 's',
  redirect: 'r',
  requisite: 'q',
  navigation: 'n',
  sitemap: 'm',
}
export const kindOfLetter = new Map(
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
/** Behind all others: a rule denies it, and it waits until none does. */
const heldClass = 0xf0

/** Eight characters of one byte each, which compare as the queue is ordered. */
export function rankOf(discovery: Pick<Discovery, 'kind' | 'depth' | 'priority'>, sequence: number): string {
  const urgency = Math.min(1, Math.max(0, discovery.priority ?? 0.5))
  const bytes = Buffer.allocUnsafe(8)
  bytes[0] = classes[discovery.kind] + Math.round(15 * (1 - urgency))
  bytes[1] = Math.min(depthMax, discovery.depth)
  bytes.writeUIntBE(sequence, 2, 6)
  return bytes.toString('latin1')
}

/** Of what a rule holds back, in the order in which it was looked at. */
export function rankHeld(sequence: number): string {
  const bytes = Buffer.allocUnsafe(8)
  bytes[0] = heldClass
  bytes[1] = depthMax
  bytes.writeUIntBE(sequence, 2, 6)
  return bytes.toString('latin1')
}

export function isRankHeld(rank: string): boolean {
  return rank.charCodeAt(0) === heldClass
}

/** The same class and depth, but at the end of them. */
export function rankAgain(rank: string, sequence: number): string {
  const bytes = Buffer.from(rank, 'latin1')
  bytes.writeUIntBE(sequence, 2, 6)
  return bytes.toString('latin1')
}
