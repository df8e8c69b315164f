// What search needs of a network: the ring, who has all of which part of it, and what arrives from other peers.

import type { IncomingLinks } from '../../graph/incoming-links.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { SearchPlaces } from '../../network/search/search-places.ts'
import type { CallServices } from '../../platform/calls/call-services.ts'
import type { DividedSite, SearchArc } from '../../search/query/territory.ts'

/** A URL, by what the store finds its captures by. */
export interface CopiedUrl {
  readonly ringKey: RingKey
  readonly surt: string
}

export interface SearchNetwork {
  readonly services: CallServices
  readonly places: SearchPlaces
  /** What other peers have told of links to the sites of which copies are here. */
  incoming(): readonly Pick<IncomingLinks, 'linksToSite'>[]
  /** Called with every copy of a capture that came from another peer. One listener. */
  onCopy(listener: (url: CopiedUrl) => void): void
}

export function searchPlaces(
  places: RingPlaces,
  copies: { covers(arc: SearchArc): boolean },
  replicas: number,
): SearchPlaces {
  const { splits } = places
  let known: { id: string; divided: readonly DividedSite[] } | undefined
  return {
    self: places.self,
    copies: replicas,
    positions: () => places.positions(),
    fullSet: (key) => places.fullSet(key),
    covers: (arc) => copies.covers(arc),
    isNewcomer: (peer) => places.isNewcomer(peer),
    splitsId: () => splits.id,
    divided: () => {
      if (known?.id !== splits.id) known = { id: splits.id, divided: dividedSites(splits) }
      return known.divided
    },
  }
}

function dividedSites(splits: RingPlaces['splits']): DividedSite[] {
  return splits.sites().map((site) => ({
    site,
    parts: splits.bucketsOf(site).map(({ range, place }) => ({ from: range.from, place })),
  }))
}
