// The ring without those that are not counted on: in their stead the next peers are to keep copies of what is ours, and we see to the
// copies of their arcs where we come next.
//
// Only what this peer sees to changes: who gets its captures, and whose copies count. Who is a member of what (`fullSet`) is the same
// for all peers, and stays. Two peers that see to one arc do no harm.

import { LruCache } from '../../model/lru-cache.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { CopyPlaces, OwnArc } from '../replication/captures/places.ts'

interface Exclusions {
  /** Now; mostly nobody. */
  excluded(): readonly PeerId[]
  isExcluded(peer: PeerId): boolean
  onChange(listener: () => void): () => void
}

const arcsMax = 1_024

export function countedPlaces(places: CopyPlaces, exclusions: Exclusions): CopyPlaces {
  /** An arc that is as it was before is the same object: whoever has worked something out for it need not do so again. */
  const known = new LruCache<string, OwnArc>({ max: arcsMax })

  function remembered(arc: OwnArc): OwnArc {
    const name = [arc.after, arc.upTo, ...arc.replicas, '', ...arc.full].join()
    const same = known.get(name) ?? arc
    known.set(name, same)
    return same
  }

  function counted(arc: OwnArc): OwnArc {
    if (![...arc.full, ...arc.replicas].some((peer) => exclusions.isExcluded(peer))) return arc
    return remembered({ ...arc, replicas: without(arc.replicas, arc), full: without(arc.full, arc) })
  }

  /** Arcs of excluded peers of which we are the first that counts. */
  function inherited(peer: PeerId): OwnArc[] {
    return (places.arcsOf?.(peer) ?? []).flatMap((arc) => {
      const full = without(places.fullSet(arc.upTo), arc)
      if (full[0] !== places.self) return []
      const present = new Set([places.self, ...places.peers()])
      return [remembered({ ...arc, full, replicas: full.filter((other) => present.has(other)) })]
    })
  }

  function without(peers: readonly PeerId[], { upTo }: Pick<OwnArc, 'upTo'>): readonly PeerId[] {
    const left = peers.filter((peer) => !exclusions.isExcluded(peer))
    const missing = peers.length - left.length
    if (missing === 0) return peers
    const present = new Set(places.peers())
    const next = (places.following?.(upTo, peers.length + 2 * missing + 2) ?? []).filter(
      (peer) => present.has(peer) && !left.includes(peer) && !exclusions.isExcluded(peer),
    )
    return [...left, ...next.slice(0, missing)]
  }

  return {
    self: places.self,
    splits: places.splits,
    fullSet: (key) => places.fullSet(key),
    mayHaveKept: (peer, key, atMs) => places.mayHaveKept(peer, key, atMs),
    isYoung: (peer) => places.isYoung(peer),
    peers: () => places.peers(),
    members: () => places.members(),
    missed: () => places.missed(),
    replicaSet: (key) => {
      const set = places.replicaSet(key)
      return set && without(set, { upTo: key })
    },
    lookup: async (key) => {
      const found = await places.lookup(key)
      const replicas = found.replicas.filter(({ peer }) => !exclusions.isExcluded(peer))
      return replicas.length === 0 ? found : { ...found, replicas }
    },
    ownArcs: () => {
      const excluded = exclusions.excluded()
      if (excluded.length === 0) return places.ownArcs()
      return [...places.ownArcs().map(counted), ...excluded.flatMap(inherited)]
    },
    onChange: (listener) => {
      const stops = [places.onChange(listener), exclusions.onChange(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
