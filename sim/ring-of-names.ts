// A ring that is nothing but its peers' names, for campaigns that simulate no ring: whose a key is, if these are there.

import { type RingKey, ringKeyOf } from '../src/model/ring-key.ts'
import type { PeerId } from '../src/platform/network/network.ts'

/** There must be one. */
export function ownerAmong(peers: readonly PeerId[], key: RingKey): { peer: PeerId; upTo: RingKey } {
  const all = ordered(peers)
  const [upTo, peer] = all.find(([place]) => place >= key) ?? all[0]!
  return { peer, upTo }
}

/** The owner first. */
export function replicasAmong(peers: readonly PeerId[], key: RingKey, copies: number): PeerId[] {
  const all = ordered(peers)
  const at = all.findIndex(([place]) => place >= key)
  const turned = at < 0 ? all : [...all.slice(at), ...all.slice(0, at)]
  return turned.slice(0, copies).map(([, peer]) => peer)
}

function ordered(peers: readonly PeerId[]): (readonly [RingKey, PeerId])[] {
  return peers.map((peer) => [placeOf(peer), peer] as const).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Asked for at every step of a campaign; names are few. */
const places = new Map<PeerId, RingKey>()
const placesMax = 1_024

function placeOf(peer: PeerId): RingKey {
  let place = places.get(peer)
  if (place === undefined) {
    if (places.size >= placesMax) places.clear()
    places.set(peer, (place = ringKeyOf(peer)))
  }
  return place
}
