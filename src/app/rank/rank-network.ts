// What the computing of ranks needs of a network: who is there, who computes what, and who begins.

import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { coordinatorPlace } from '../../network/rank/rank-coordinator.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import { urlPrefix } from '../../store/index/capture-key.ts'
import type { RankNetwork } from './peer-rank.ts'

export type { RankNetwork } from './peer-rank.ts'

export function rankNetwork(calls: CallService, places: RingPlaces, copies: number): RankNetwork {
  const { self, splits, owners } = places
  return {
    self,
    copies,
    calls,
    peers: () => places.peers(),
    positions: () => places.positions(),
    isPlaceOf: (peer, place) => owners.isPlaceOf(peer, place as Parameters<typeof owners.isPlaceOf>[1]),
    isCoordinator: (peer) =>
      peer === self
        ? places.isOwner(coordinatorPlace)
        : owners.likelyOwnerOf(coordinatorPlace)?.peer === peer,
    places: {
      placeOf: ({ ringKey, surt }) => splits.placeOf(urlPrefix(ringKey, surt)),
      isWhole: (site) => !splits.isSplitWithin(site, site),
    },
  }
}
