// Search places: the ring as a search needs it: its parts, and who may have all captures of each.
//
// What is known here of peers far away may be old: whoever is asked says whether it has everything. So a wrong guess costs a question
// and never changes a result; that every place of the ring is in exactly one part follows from how they are made.

import { placeBefore, type RingKey, ringKeyBytes, ringKeyOfSite } from '../../model/ring-key.ts'
import { hasSitesUnder, siteOf } from '../../model/url/site.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type DividedSite, isOnArc, type SearchArc } from '../../search/query/territory.ts'

/** A part of the ring, and whom to ask about it, best first. */
export interface SearchRange extends SearchArc {
  readonly candidates: readonly PeerId[]
}

export interface SearchPlaces {
  readonly self: PeerId
  /** Where everybody is who is known to be on the ring now, ourselves included. */
  positions(): readonly { readonly peer: PeerId; readonly place: RingKey }[]
  /** Who would keep a key if everybody were there. */
  fullSet(key: RingKey): readonly PeerId[]
  /** Whether all captures of an arc are here. */
  covers(arc: SearchArc): boolean
  /** It came to the network only lately. */
  isNewcomer(peer: PeerId): boolean
  /** Sites that lie at several places, and what tells whether another peer knows of the same. */
  divided(): readonly DividedSite[]
  splitsId(): string
  /** How many keep each thing. */
  readonly copies: number
  /** false: we are not asked ourselves. */
  readonly hasIndex?: boolean
}

/** As a peer without an index needs them: it has nothing of any part. */
export function placesOfOthers(places: SearchPlaces): SearchPlaces {
  return { ...places, hasIndex: false, covers: () => false }
}

/** Besides those who are to keep it: one may have come, or gone, since. */
const furtherCandidates = 2

/** The whole ring, in as many parts as there are positions. Without any there is one part, which only we can be asked about. */
export function rangesOfRing(places: SearchPlaces): SearchRange[] {
  const positions = sortedPositions(places)
  if (positions.length === 0) {
    const whole = { after: lastKey, upTo: lastKey }
    return [{ ...whole, candidates: [places.self] }]
  }
  return positions.map(({ place: upTo }, index) => {
    const after = positions.at(index - 1)!.place
    return { after, upTo, candidates: candidatesOf(places, positions, index, { after, upTo }) }
  })
}

/** The places of one site, or of one host of it; undefined for a name that many sites lie under. */
export function rangesOfSite(places: SearchPlaces, host: string): SearchRange[] | undefined {
  if (hasSitesUnder(host)) return undefined
  const key = ringKeyOfSite(siteOf(host))
  const parts = places.divided().find(({ site }) => site === key)?.parts ?? []
  const positions = sortedPositions(places)
  return [...new Set([key, ...parts.map(({ place }) => place)])].map((place) => {
    const arc = { after: placeBefore(place), upTo: place }
    const index = positions.findIndex((position, at) =>
      isOnArc({ after: positions.at(at - 1)!.place, upTo: position.place }, place),
    )
    const candidates = index === -1 ? [places.self] : candidatesOf(places, positions, index, arc)
    return { ...arc, candidates }
  })
}

/** Which part of the ring they are. */
export function shareOf(arcs: readonly SearchArc[]): number {
  const circle = 2 ** (8 * ringKeyBytes)
  return arcs.reduce((sum, { after, upTo }) => {
    const length = Number(BigInt(`0x${upTo}`) - BigInt(`0x${after}`))
    return sum + (length > 0 ? length : length + circle) / circle
  }, 0)
}

function candidatesOf(
  places: SearchPlaces,
  positions: readonly { readonly peer: PeerId }[],
  index: number,
  arc: SearchArc,
): PeerId[] {
  const { self, copies } = places
  const peers = new Set<PeerId>()
  for (let step = 0; step < positions.length && peers.size < copies + furtherCandidates; step++)
    peers.add(positions[(index + step) % positions.length]!.peer)
  for (const peer of places.fullSet(arc.upTo)) peers.add(peer)
  const isOurs = places.covers(arc)
  const isNear = peers.delete(self)
  const others = [...peers]
  const ordered = [
    ...others.filter((peer) => !places.isNewcomer(peer)),
    ...others.filter((peer) => places.isNewcomer(peer)),
  ]
  // What is here costs nobody anything; what is here in part helps when nobody else has it.
  if (isOurs) return [self, ...ordered]
  return isNear && places.hasIndex !== false ? [...ordered, self] : ordered
}

function sortedPositions(places: SearchPlaces) {
  return places.positions().toSorted((one, other) => (one.place < other.place ? -1 : 1))
}

const lastKey = 'f'.repeat(2 * ringKeyBytes) as RingKey
