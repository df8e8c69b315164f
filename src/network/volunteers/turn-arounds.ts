// Turn-arounds: what a volunteer says its fetches took, beside how long its bundle was out by this peer's clock.
//
// Whoever claims to be near a site must have been fast. Between bundle and answers lie the way to the volunteer and back, once for each
// bundle, and the fetches with their pauses: so the least surplus of any of its bundles is taken for the way, and what a bundle took
// beyond that, for each page, contradicts the claim. From then on what is measured counts for that volunteer, whatever it says. Nobody is
// blamed for it: one that its owner slows down looks the same, and is as slow.

import { LruCache } from '../../model/lru-cache.ts'
import type { PeerId } from '../../platform/network/network.ts'

export interface ClaimedFetch {
  /** undefined on a connection that was open. */
  readonly connectMs: number | undefined
  readonly responseMs: number
}

export interface BundleTimes {
  /** By this peer's clock, without the pauses that the host is to have. */
  readonly tookMs: number
  readonly fetches: readonly ClaimedFetch[]
}

export interface BelievedTimes {
  /** undefined: nothing was said or seen of it. */
  readonly connectMs: number | undefined
  /** It took longer than the volunteer says. */
  readonly isContradicted: boolean
}

const volunteersMax = 10_000
/** A page may take so much longer than it is said to. */
const slackMs = 50
/** The way to a volunteer may become longer. */
const growth = 1.01
/** Pages that share one way there and back. */
const pagesOfBundle = 8

export class TurnArounds {
  readonly #ways = new LruCache<PeerId, number>({ max: volunteersMax })
  readonly #doubted = new LruCache<PeerId, true>({ max: volunteersMax })

  judge(peer: PeerId, { tookMs, fetches }: BundleTimes): BelievedTimes {
    const count = fetches.length
    if (count === 0) return { connectMs: undefined, isContradicted: false }
    let claimedMs = 0
    const connects: number[] = []
    for (const { connectMs, responseMs } of fetches) {
      claimedMs += responseMs + (connectMs ?? 0)
      if (connectMs !== undefined) connects.push(connectMs)
    }
    const surplusMs = Math.max(0, tookMs - claimedMs)
    const wayMs = Math.min(surplusMs, (this.#ways.get(peer) ?? Number.POSITIVE_INFINITY) * growth)
    this.#ways.set(peer, wayMs)
    const beyondMs = (surplusMs - wayMs) / count
    const isContradicted = beyondMs > slackMs + claimedMs / count
    const connectMs = connects.length === 0 ? undefined : Math.min(...connects)
    if (isContradicted) this.#doubted.set(peer, true)
    if (!this.isDoubted(peer)) return { connectMs, isContradicted }
    return { connectMs: Math.max(connectMs ?? 0, (tookMs - wayMs) / count), isContradicted }
  }

  /** Whether its times are not believed any more. */
  isDoubted(peer: PeerId): boolean {
    return this.#doubted.get(peer) ?? false
  }

  /** What the way to it adds to each page. */
  addedMsOf(peer: PeerId): number {
    return (this.#ways.get(peer) ?? 0) / pagesOfBundle
  }
}
