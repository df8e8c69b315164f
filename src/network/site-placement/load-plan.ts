// Load plan: which sites are to be crawled by another of their members than now, so that no peer has much more to do for its capacity
// than those with which it shares sites.
//
// Pure: what is known of sites and peers in, moves out. Invariants: a site goes to one that has clearly less to do, by capacity, and has
// no more than whoever gives it afterwards (a larger peer: than that one had before), so that no plan undoes another that saw the same
// loads; large sites come first, at most `movesMax` at a time; and of all that the owner's sites give to do, a peer gets one site, or no
// more than its part of the capacity of both, whatever it says of itself.
// Where it is known who is how far from a site, one that is much nearer gets it, though it has more to do, up to `nearWorth` times as
// much as whoever gives it; and one that is much farther gets it for its load only where it would not come back so.
// Among several others that could take a site, weighted rendezvous hashing decides: owners that know nothing of each other choose different
// ones, in proportion to the room of each.

import { hash } from 'node:crypto'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { TimeEstimate } from '../volunteers/connect-times.ts'

/** A site of the owner that plans. */
export interface LoadedSite {
  readonly site: RingKey
  /** Who crawls it now. */
  readonly at: PeerId
  readonly members: readonly PeerId[]
  readonly load: number
  /** The most that it gave to do since somebody else crawls it, where that is more than what is said of it now. */
  readonly loadGiven?: number | undefined
  /** Was moved lately: it goes to nobody but one that is much nearer. */
  readonly isResting?: boolean | undefined
  /** How long a connection to it takes each, as far as that is known. */
  readonly times?: ReadonlyMap<PeerId, TimeEstimate> | undefined
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
  /** To one that is much nearer, or much farther. */
  readonly isFar: boolean
  /** How far it is was not only predicted. */
  readonly isSure: boolean
}

export interface PlanTerms {
  /** Who takes a site has at least so many times less to do than who gives it: less is evener, and moves more. */
  readonly margin: number
  /** How many times as much a peer may have to do that is much nearer to a site: less has more of it fetched from afar. */
  readonly nearWorth: number
  readonly movesMax: number
  /** Sites with less to do stay where they are. */
  readonly siteLoadMin: number
}

interface Taker {
  readonly peer: PeerId
  /** With so much more it has as much to do, by capacity, as whoever gives it. */
  readonly room: number
  readonly way: Way
  /** Compared where all of them are nearer. */
  readonly ms: number
  readonly isSure: boolean
}

type Way = 'nearer' | 'alike' | 'farther'

/** What is more than so many times as far, and this longer, is much farther: the same as for volunteers. */
const farFactor = 2
const farMs = 50

/** Of its room, what one owner fills at a time, after the first site: others give to the same peer before it can say so. */
const roomShare = 0.5

export function planMoves(
  self: PeerId,
  sites: readonly LoadedSite[],
  peers: ReadonlyMap<PeerId, PeerLoad>,
  terms: PlanTerms,
): Move[] {
  const { movesMax, siteLoadMin } = terms
  const ledger = new Ledger(self, sites, peers, terms)
  const moves: Move[] = []
  const inOrder = sites.filter(({ load, at }) => load >= siteLoadMin && peers.has(at)).toSorted(largestFirst)
  for (const one of inOrder) {
    if (moves.length === movesMax) break
    const { site, at, load } = one
    const takers = one.members
      .filter((peer) => peer !== at && peers.has(peer))
      .map((peer) => takerOf(ledger, one, peer))
      .filter((taker) => ledger.isBetterAt(taker, one) && ledger.mayTake(taker.peer, load))
    const near = takers.filter(({ way }) => way === 'nearer').toSorted((a, b) => a.ms - b.ms)
    const alike = takers.filter(({ way }) => way === 'alike')
    const to = near[0] ?? byRendezvous(site, alike.length > 0 ? alike : takers)
    if (to === undefined) continue
    moves.push({ site, from: at, to: to.peer, load, isFar: to.way !== 'alike', isSure: to.isSure })
    ledger.move(at, to, load)
  }
  return moves
}

function takerOf(ledger: Ledger, { at, times }: LoadedSite, peer: PeerId): Taker {
  const { ms = Number.POSITIVE_INFINITY, isMeasured: isSure = false } = times?.get(peer) ?? {}
  const way = wayOf(times?.get(peer)?.ms, times?.get(at)?.ms)
  const room = way === 'nearer' ? ledger.nearRoom(peer, at) : ledger.room(peer, at)
  return { peer, room, way, ms, isSure }
}

function wayOf(ms: number | undefined, atMs: number | undefined): Way {
  if (ms === undefined || atMs === undefined) return 'alike'
  if (atMs > farFactor * ms + farMs) return 'nearer'
  return ms > farFactor * atMs + farMs ? 'farther' : 'alike'
}

/** Who has how much to do, as the plan goes on. */
class Ledger {
  readonly #self: PeerId
  readonly #terms: PlanTerms
  readonly #capacities: ReadonlyMap<PeerId, number>
  readonly #loads: Map<PeerId, number>
  /** Of the owner's sites. */
  readonly #entrusted = new Map<PeerId, number>()
  readonly #ownLoad: number
  /** What may still be given in this plan. */
  readonly #left = new Map<PeerId, number>()

  constructor(
    self: PeerId,
    sites: readonly LoadedSite[],
    peers: ReadonlyMap<PeerId, PeerLoad>,
    terms: PlanTerms,
  ) {
    this.#self = self
    this.#terms = terms
    this.#capacities = new Map([...peers].map(([peer, { capacity }]) => [peer, capacity]))
    this.#loads = new Map([...peers].map(([peer, { load }]) => [peer, load]))
    for (const site of sites) add(this.#entrusted, site.at, mostOf(site))
    this.#ownLoad = sites.reduce((sum, site) => sum + mostOf(site), 0)
  }

  isBetterAt({ peer, room, way }: Taker, { at, load, isResting }: LoadedSite): boolean {
    const { margin, nearWorth } = this.#terms
    if (way === 'nearer') return load <= room
    if (isResting) return false
    // So it does not come back for its way: see nearRoom.
    if (way === 'farther') return margin * nearWorth * this.#ratioWith(peer, load) <= this.#ratio(at)
    if (margin * this.#ratio(peer) > this.#ratio(at)) return false
    return room >= load || this.#isLighterAt(peer, at, load)
  }

  room(peer: PeerId, from: PeerId): number {
    const each = 1 / this.#capacity(peer) + 1 / this.#capacity(from)
    return (this.#ratio(from) - this.#ratio(peer)) / each
  }

  /** With so much more it has `nearWorth` times as much to do as whoever gives it. */
  nearRoom(peer: PeerId, from: PeerId): number {
    return this.#terms.nearWorth * this.#ratio(from) * this.#capacity(peer) - this.#loads.get(peer)!
  }

  /** The site is more than its part of what a small peer is to do, and a larger one would not notice it as much. */
  #isLighterAt(peer: PeerId, from: PeerId, load: number): boolean {
    const { margin } = this.#terms
    return (
      this.#capacity(peer) > this.#capacity(from) && margin * this.#ratioWith(peer, load) <= this.#ratio(from)
    )
  }

  mayTake(peer: PeerId, load: number): boolean {
    if (load > (this.#left.get(peer) ?? Number.POSITIVE_INFINITY)) return false
    const entrusted = this.#entrusted.get(peer) ?? 0
    if (peer === this.#self || entrusted === 0) return true
    const part = this.#capacity(peer) / (this.#capacity(peer) + this.#capacity(this.#self))
    return entrusted + load <= part * this.#ownLoad
  }

  move(from: PeerId, { peer, room }: Taker, load: number): void {
    this.#left.set(peer, (this.#left.get(peer) ?? roomShare * room) - load)
    for (const map of [this.#loads, this.#entrusted]) {
      add(map, from, -load)
      add(map, peer, load)
    }
  }

  #ratioWith(peer: PeerId, load: number): number {
    return (this.#loads.get(peer)! + load) / this.#capacity(peer)
  }

  #ratio(peer: PeerId): number {
    return this.#loads.get(peer)! / this.#capacity(peer)
  }

  #capacity(peer: PeerId): number {
    return this.#capacities.get(peer)!
  }
}

function add(loads: Map<PeerId, number>, peer: PeerId, load: number): void {
  loads.set(peer, (loads.get(peer) ?? 0) + load)
}

function mostOf({ load, loadGiven = load }: LoadedSite): number {
  return Math.max(load, loadGiven)
}

function largestFirst(one: LoadedSite, other: LoadedSite): number {
  return other.load - one.load || (one.site < other.site ? -1 : 1)
}

/** The one with the highest score, each the more likely the more room it has. */
function byRendezvous(site: RingKey, takers: readonly Taker[]): Taker | undefined {
  let best: { taker: Taker; score: number } | undefined
  for (const taker of takers) {
    const score = taker.room / -Math.log(fractionOf(site, taker.peer))
    if (best === undefined || score > best.score) best = { taker, score }
  }
  return best?.taker
}

const fractionDigits = 12

/** In (0, 1), the same for all who ask. */
function fractionOf(site: RingKey, peer: PeerId): number {
  const digits = hash('sha256', `${site} ${peer}`, 'hex').slice(0, fractionDigits)
  return (Number.parseInt(digits, 16) + 0.5) / 16 ** fractionDigits
}
