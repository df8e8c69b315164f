// The plan of a round: whom to challenge, and about which captures. Drawn from what this peer holds, each capture equally likely; a
// stretch of neighbours is asked of everybody who is to keep that place, too, of those who keep it in an excluded peer's stead, and of
// newcomers that keep a spare copy of it. Those are in every round, if only to see whether they are there.

import type { PeerId } from '../../platform/network/network.ts'
import { type Random, shuffled } from '../../platform/random.ts'
import { KeyRangeSet } from '../replication/anti-entropy/key-range-set.ts'
import { type CopyPlaces, type OwnArc, placeOf, rangesOn } from '../replication/captures/places.ts'
import { allKeys, type KeyRange } from '../replication/sums/key-range.ts'
import type { RangeSums } from '../replication/sums/range-sums.ts'
import { keysMax } from './audit-messages.ts'

interface Needs {
  readonly sums: RangeSums
  readonly places: Pick<CopyPlaces, 'self' | 'fullSet' | 'peers' | 'splits'>
  /** The same without those that are excluded. */
  readonly counted: Pick<CopyPlaces, 'ownArcs'>
  readonly random: Random
  /** Whether it can be shown by us: what cannot, we could not compare. */
  isShowable(key: Uint8Array): boolean
  /** Newcomers that say they keep a spare copy of an arc. */
  spares?(): readonly { readonly peer: PeerId; readonly arc: Arc }[]
}

type Arc = Pick<OwnArc, 'after' | 'upTo'>

const stretchEntries = 32
const stretchesMax = 256
const partsMax = 16
const partnersMax = 64

/** In an order by chance. */
export function planRound(needs: Needs): { peer: PeerId; keys: Uint8Array[] }[] {
  const { places, sums, random } = needs
  if (!sums.isComplete) return []
  const spares = sparesOf(needs)
  const present = new Set([...places.peers(), ...spares.flatMap(({ peers }) => peers)])
  const substituted = [...substitutesOf(needs), ...spares]
  const plan = new Map<PeerId, Map<string, Uint8Array>>()
  const isEmpty = sums.sumOf(allKeys).count === 0
  for (let drawn = 0; drawn < (isEmpty ? 0 : stretchesMax); drawn++) {
    for (const key of drawStretch(needs)) {
      const set = places.fullSet(placeOf(places, key))
      if (!set.includes(places.self) || !needs.isShowable(key)) continue
      const others = substituted.filter(({ keys }) => keys.has(key)).flatMap(({ peers }) => peers)
      for (const peer of [...set, ...others])
        if (peer !== places.self && present.has(peer)) add(plan, peer, key)
    }
  }
  const round = Array.from(plan, ([peer, wanted]) => ({ peer, keys: [...wanted.values()] }))
  const silent = spares.flatMap(({ peers }) => peers).filter((peer) => !plan.has(peer))
  return shuffled([...round, ...silent.map((peer) => ({ peer, keys: [] }))], random)
}

function sparesOf({ places, spares }: Needs): { keys: KeyRangeSet; peers: PeerId[] }[] {
  return (spares?.() ?? []).map(({ peer, arc }) => ({
    keys: new KeyRangeSet(rangesOn(places, arc)),
    peers: [peer],
  }))
}

/** Who keeps what we see to, and is no member of it by the ring. */
function substitutesOf({ places, counted }: Needs): { keys: KeyRangeSet; peers: PeerId[] }[] {
  return counted.ownArcs().flatMap((arc) => {
    const members = places.fullSet(arc.upTo)
    const peers = arc.full.filter((peer) => !members.includes(peer))
    return peers.length === 0 ? [] : [{ keys: new KeyRangeSet(rangesOn(places, arc)), peers }]
  })
}

function add(plan: Map<PeerId, Map<string, Uint8Array>>, peer: PeerId, key: Uint8Array): void {
  const keys = plan.get(peer) ?? new Map<string, Uint8Array>()
  if ((!plan.has(peer) && plan.size >= partnersMax) || keys.size >= keysMax) return
  plan.set(peer, keys)
  keys.set(Buffer.from(key).toString('base64'), key)
}

/** Neighbours around an entry that is drawn by chance. */
function drawStretch({ sums, random }: Needs): Uint8Array[] {
  let range: KeyRange = allKeys
  let { count } = sums.sumOf(allKeys)
  while (count > 2 * stretchEntries) {
    const parts = sums.parts(range, partsMax)
    let at = random.below(count)
    const part = parts.find(({ tally }) => (at -= tally.count) < 0) ?? parts.at(-1)!
    if (part.tally.count >= count) break
    range = part.range
    count = part.tally.count
  }
  const entries = [...sums.entries(range, 2 * stretchEntries)]
  const first = random.below(Math.max(1, entries.length - stretchEntries + 1))
  return entries.slice(first, first + stretchEntries).map(({ key }) => key)
}
