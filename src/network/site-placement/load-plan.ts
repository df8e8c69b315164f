// Load plan: which sites are to be crawled by another of their members than now, so that no peer has much more to do for its capacity
// than those with which it shares sites.
//
// Pure: what is known of sites and peers in, moves out. Invariants: a move leaves whoever takes the site with clearly less to do, by
// capacity, than whoever gives it had before, so that no move can be undone by the next plan that sees the same loads; large sites come
// first; at most `movesMax` at a time; and of all that the owner's sites give to do, a peer gets no more than its part of the capacity
// of both, whatever it says of itself.
// Among several that could take a site, weighted rendezvous hashing decides: owners that know nothing of each other choose different
// ones, in proportion to the room of each.

import { hash } from 'node:crypto'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'

/** A site of the owner that plans. */
export interface LoadedSite {
  readonly site: RingKey
  /** Who crawls it now. */
  readonly at: PeerId
  readonly members: readonly PeerId[]
  readonly load: number
  /** The most that it gave to do since somebody else crawls it, where that is more than what is said of it now. */
  readonly loadGiven?: number | undefined
}

export interface PeerLoad {
  /** What all its sites give it to do. */
  readonly load: number
  readonly capacity: number
}

export interface Move {
  readonly site: RingKey
  readonly from: PeerId
  readonly to: PeerId
  readonly load: number
}

export interface PlanTerms {
  /** Who takes a site has at least so many times less to do afterwards than who gives it had: less is evener, and moves more. */
  readonly margin: number
  readonly movesMax: number
  /** Sites with less to do stay where they are. */
  readonly siteLoadMin: number
}

interface Taker {
  readonly peer: PeerId
  readonly room: number
}

export function planMoves(
  self: PeerId,
  sites: readonly LoadedSite[],
  peers: ReadonlyMap<PeerId, PeerLoad>,
  { margin, movesMax, siteLoadMin }: PlanTerms,
): Move[] {
  const loads = new Map([...peers].map(([peer, { load }]) => [peer, load]))
  const capacityOf = (peer: PeerId): number => peers.get(peer)!.capacity
  const entrusted = entrustedLoads(sites)
  const ownLoad = sites.reduce((sum, site) => sum + mostOf(site), 0)
  const hasRoomFor = (peer: PeerId, load: number): boolean => {
    const part = capacityOf(peer) / (capacityOf(peer) + capacityOf(self))
    return peer === self || (entrusted.get(peer) ?? 0) + load <= part * ownLoad
  }
  const moves: Move[] = []
  const inOrder = sites.filter(({ load, at }) => load >= siteLoadMin && peers.has(at)).toSorted(largestFirst)
  for (const { site, at, members, load } of inOrder) {
    if (moves.length === movesMax) break
    const before = loads.get(at)! / capacityOf(at)
    const takers: Taker[] = members
      .filter((peer) => peer !== at && peers.has(peer) && hasRoomFor(peer, load))
      .map((peer) => ({ peer, room: (before / margin) * capacityOf(peer) - loads.get(peer)! - load }))
      .filter(({ room }) => room >= 0)
    const to = byRendezvous(site, takers)
    if (to === undefined) continue
    moves.push({ site, from: at, to, load })
    for (const [peer, change] of [[at, -load] as const, [to, load] as const]) {
      loads.set(peer, loads.get(peer)! + change)
      entrusted.set(peer, (entrusted.get(peer) ?? 0) + change)
    }
  }
  return moves
}

function entrustedLoads(sites: readonly LoadedSite[]): Map<PeerId, number> {
  const entrusted = new Map<PeerId, number>()
  for (const site of sites) entrusted.set(site.at, (entrusted.get(site.at) ?? 0) + mostOf(site))
  return entrusted
}

function mostOf({ load, loadGiven = load }: LoadedSite): number {
  return Math.max(load, loadGiven)
}

function largestFirst(one: LoadedSite, other: LoadedSite): number {
  return other.load - one.load || (one.site < other.site ? -1 : 1)
}

/** The one with the highest score, each the more likely the more room it has. */
function byRendezvous(site: RingKey, takers: readonly Taker[]): PeerId | undefined {
  let best: { peer: PeerId; score: number } | undefined
  for (const { peer, room } of takers) {
    const score = (room + 1) / -Math.log(fractionOf(site, peer))
    if (best === undefined || score > best.score) best = { peer, score }
  }
  return best?.peer
}

const fractionDigits = 12

/** In (0, 1), the same for all who ask. */
function fractionOf(site: RingKey, peer: PeerId): number {
  const digits = hash('sha256', `${site} ${peer}`, 'hex').slice(0, fractionDigits)
  return (Number.parseInt(digits, 16) + 0.5) / 16 ** fractionDigits
}
