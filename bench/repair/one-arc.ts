// A ring of two peers on which one owns everything and both are to keep it.

import { ringKeyOf } from '../../src/model/ring-key.ts'
import type { CopyPlaces } from '../../src/network/replication/captures/places.ts'
import type { PeerId } from '../../src/platform/network/network.ts'

const place = ringKeyOf('the only place')

export function oneArc(self: PeerId, owner: PeerId, other: PeerId): CopyPlaces {
  const set = [owner, other]
  const found = { owner: { peer: owner, position: place }, replicas: set.map((peer) => ({ peer })) }
  return {
    self,
    replicaSet: () => (self === owner ? set : undefined),
    fullSet: () => set,
    isYoung: () => false,
    mayHaveKept: (peer) => set.includes(peer),
    lookup: async () => found,
    ownArcs: () => (self === owner ? [{ after: place, upTo: place, replicas: set, full: set }] : []),
    peers: () => set.filter((peer) => peer !== self),
    members: () => set.filter((peer) => peer !== self),
    missed: () => [],
    onChange: () => () => {},
  }
}
