// How evenly pages are fetched and bytes are kept: many sites of very different sizes on a ring of real places, crawled for an hour,
// with the real plans of moves (src/network/site-placement/load-plan.ts) and of places (place-model.ts). Peers, messages and disks are not simulated.
//
// A site gives a page a second while it has any, as a polite crawl does. Most of its pages become known as it is crawled.

import { type RingKey, ringKeyOf } from '../../src/model/ring-key.ts'
import { replicaSet } from '../../src/network/ring/replica-set.ts'
import type { Contact } from '../../src/network/ring/ring.ts'
import { type LoadedSite, type PeerLoad, planMoves } from '../../src/network/site-placement/load-plan.ts'
import { loadTermsDefault } from '../../src/network/site-placement/load-terms.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import { type Lying, PlaceModel } from './place-model.ts'

export interface LoadShape {
  /** What each peer gives, in units of which each is `placesPerUnit` places. */
  readonly shares: readonly number[]
  readonly placesPerUnit: number
  /** Sites are moved by load; else the owner by the ring crawls each. */
  readonly isEven: boolean
  /** Peers have taken and given up places, by what will be kept, before anything is crawled. */
  readonly hasEvenPlaces?: boolean
  readonly margin?: number
}

export interface LoadFigures {
  /** The most that a peer fetched for its share, over the mean: in the hour, and in its second half, when sites have been moved. */
  readonly fetched: number
  readonly fetchedLater: number
  readonly kept: number
  /** The same after a fifth of the peers has gone, and when they have come back. */
  readonly keptWhenGone: number
  readonly keptWhenBack: number
  /** Of a peer, in the mean. */
  readonly places: number
  /** For evening out places: of everything, what was copied, and in how many rounds. */
  readonly copied: number
  readonly rounds: number
  /** For each site. */
  readonly moves: number
  /** Of the sites, those that were moved more than once. */
  readonly movedAgain: number
}

interface ModelSite {
  readonly site: RingKey
  readonly members: readonly PeerId[]
  at: PeerId
  left: number
  fetched: number
  restsUntilS: number
  moves: number
}

const sitesPerPeer = 300
const pagesPerSite = 300
const zipf = 0.9
const copies = 3
const placesMax = 16
const hourS = 3_600
const stepS = loadTermsDefault.planMs / 1_000
const restS = loadTermsDefault.restMs / 1_000
/** Of a site, in ten minutes. */
const waitingMax = 600
const linksPerPage = 10
/** A site with more than so much of a peer's part is split as to what is kept (`ring.siteCaptures`), into parts of this size. */
const partOfPeer = 0.1

export type KeptFigures = Omit<LoadFigures, 'fetched' | 'fetchedLater' | 'moves' | 'movedAgain'>

/** What is kept where, without any crawl. */
export function modelKept(seed: string, shape: LoadShape): KeptFigures {
  const capacities = capacitiesOf(shape)
  const model = new PlaceModel(seed, copies, lyingOf(sitesOf(seed, shape.shares.length)))
  for (const [peer, capacity] of capacities) model.join(peer, capacity)
  return keptFigures(model, capacities, shape)
}

function keptFigures(
  model: PlaceModel,
  capacities: ReadonlyMap<PeerId, number>,
  { shares, hasEvenPlaces = false }: LoadShape,
): KeptFigures {
  const rounds = hasEvenPlaces ? model.settle() : 0
  const kept = {
    ...{ kept: model.unevenness(), places: model.ring.length / shares.length },
    ...{ copied: model.copied, rounds },
  }
  return { ...kept, ...churned(model, capacities, hasEvenPlaces) }
}

function capacitiesOf({ shares, placesPerUnit }: LoadShape): Map<PeerId, number> {
  return new Map(
    shares.map((share, at) => [`peer ${at}`, Math.min(placesMax, Math.round(share * placesPerUnit))]),
  )
}

export function modelLoad(seed: string, shape: LoadShape): LoadFigures {
  const { shares, isEven, hasEvenPlaces = false, margin = loadTermsDefault.margin } = shape
  const capacities = capacitiesOf(shape)
  const sizes = sitesOf(seed, shares.length)
  const model = new PlaceModel(seed, copies, lyingOf(sizes))
  for (const [peer, capacity] of capacities) model.join(peer, capacity)
  if (hasEvenPlaces) model.settle()
  const sites = sizes.map(({ site, size }): ModelSite => {
    const members = membersOf(model.ring, site)
    return { site, members, at: members[0]!, left: size, fetched: 0, restsUntilS: 0, moves: 0 }
  })
  const fetched = new Map<PeerId, number>()
  let half = new Map<PeerId, number>()
  for (let nowS = 0; nowS < hourS; nowS += stepS) {
    if (nowS === hourS / 2) half = new Map(fetched)
    crawl(sites, fetched)
    if (isEven) plan(sites, capacities, nowS, margin)
  }
  const later = new Map([...fetched].map(([peer, pages]) => [peer, pages - (half.get(peer) ?? 0)]))
  return {
    fetched: unevenness(fetched, shares),
    fetchedLater: unevenness(later, shares),
    ...modelKept(seed, shape),
    moves: sites.reduce((sum, { moves }) => sum + moves, 0) / sites.length,
    movedAgain: sites.filter(({ moves }) => moves > 1).length / sites.length,
  }
}

/** Every fifth peer goes, and comes back. */
function churned(
  model: PlaceModel,
  capacities: ReadonlyMap<PeerId, number>,
  hasEvenPlaces: boolean,
): Pick<LoadFigures, 'keptWhenGone' | 'keptWhenBack'> {
  const gone = [...capacities].filter((_, at) => at % 5 === 2)
  for (const [peer] of gone) model.leave(peer)
  if (hasEvenPlaces) model.settle()
  const keptWhenGone = model.unevenness()
  for (const [peer, capacity] of gone) model.join(peer, capacity)
  if (hasEvenPlaces) model.settle()
  return { keptWhenGone, keptWhenBack: model.unevenness() }
}

function membersOf(ring: readonly Contact[], key: RingKey): PeerId[] {
  const found = ring.findIndex(({ place }) => place >= key)
  const at = Math.max(0, found)
  const others = [...ring.slice(at + 1, at + placesMax * copies), ...ring]
  return replicaSet(ring[at]!, others, copies).map(({ peer }) => peer)
}

interface SizedSite {
  readonly site: RingKey
  /** In pages, which are all alike. */
  readonly size: number
}

function sitesOf(seed: string, peers: number): SizedSite[] {
  const count = sitesPerPeer * peers
  const parts = Array.from({ length: count }, (_, rank) => (rank + 1) ** -zipf)
  const whole = parts.reduce((sum, part) => sum + part, 0)
  return parts.map((part, rank) => ({
    site: ringKeyOf(`${seed} site ${rank}`),
    size: Math.max(1, Math.round((part / whole) * count * pagesPerSite)),
  }))
}

function lyingOf(sites: readonly SizedSite[]): Lying[] {
  const partMax = partOfPeer * sitesPerPeer * pagesPerSite
  return sites.flatMap(({ site, size }) => {
    const parts = Math.ceil(size / partMax)
    return Array.from({ length: parts }, (_, part) => ({
      key: part === 0 ? site : ringKeyOf(`${site} ${part}`),
      mass: size / parts,
    }))
  })
}

function crawl(sites: readonly ModelSite[], fetched: Map<PeerId, number>): void {
  for (const one of sites) {
    const pages = Math.min(one.left, stepS)
    one.left -= pages
    one.fetched += pages
    add(fetched, one.at, pages)
  }
}

/** Every owner plans from what was said before any of them moved anything. */
function plan(
  sites: readonly ModelSite[],
  capacities: ReadonlyMap<PeerId, number>,
  nowS: number,
  margin: number,
): void {
  const loads = new Map<PeerId, number>()
  for (const one of sites) add(loads, one.at, loadOf(one))
  const peers = new Map(
    [...capacities].map(([peer, capacity]): [PeerId, PeerLoad] => [
      peer,
      { load: loads.get(peer) ?? 0, capacity },
    ]),
  )
  for (const [owner, own] of Map.groupBy(sites, ({ members }) => members[0]!)) {
    const busy = own.filter((one) => loadOf(one) > 0)
    const bySite = new Map(busy.map((one) => [one.site, one]))
    const loaded = busy.map((one): LoadedSite => {
      const members = one.restsUntilS > nowS ? [one.at] : one.members
      return { site: one.site, at: one.at, load: loadOf(one), members }
    })
    for (const { site, to } of planMoves(owner, loaded, peers, { ...loadTermsDefault, margin })) {
      const one = bySite.get(site)!
      one.at = to
      one.moves++
      one.restsUntilS = nowS + restS
    }
  }
}

function loadOf({ left, fetched }: ModelSite): number {
  return Math.min(left, 1 + linksPerPage * fetched, waitingMax)
}

function unevenness(amounts: ReadonlyMap<PeerId, number>, shares: readonly number[]): number {
  const each = shares.map((share, at) => (amounts.get(`peer ${at}`) ?? 0) / share)
  const all = [...amounts.values()].reduce((sum, amount) => sum + amount, 0)
  const wholeShare = shares.reduce((sum, share) => sum + share, 0)
  return Math.max(...each) / (all / wholeShare)
}

function add(amounts: Map<PeerId, number>, peer: PeerId, amount: number): void {
  amounts.set(peer, (amounts.get(peer) ?? 0) + amount)
}
