// Hops of lookups in rings at rest: cold, by fingers and successor lists alone; warm, by one peer that has looked much up.
//
// The ring is put together in its ideal state (built-ring.ts) and then lives: before anything is counted it runs for a while,
// in which upkeep must find nothing to change. Lookups are made by the real code while upkeep goes on.

import { buildRing, rankOf, someKey } from '../../sim/ring/built-ring.ts'
import { firstNotIdeal } from '../../sim/ring/ideal-ring.ts'
import type { SimulatedPeer } from '../../sim/ring/ring-world.ts'

export interface Hops {
  cold: number
  coldMost: number
  warm: number
  wrong: number
  /** What upkeep has changed from beginning to end; 0 when the ring was built as it should be. */
  changes: number
  isIdeal: boolean
}

const successorsMax = 16
/** Long enough for every position to be given its arc, and to look at a finger or two. */
const restMs = 15_000
const lookups = 1_000
const stepMs = 100
const lookupsPerStep = 200
/** Each lookup teaches a list: enough to know nearly all of 20,000. */
const warmingMax = 8_000

export async function measureHops(positions: number): Promise<Hops> {
  const { world, peers, contacts } = buildRing(positions, {
    seed: `hops ${positions}`,
    ring: { cacheMax: 0, successorsMax },
    ringOf: (number) => (number === 0 ? { cacheMax: 32_768 } : {}),
  })
  let changes = 0
  world.changed = () => changes++
  await world.simulation.advance(restMs)

  let wrong = 0
  const lookUpAll = async (count: number, whose: () => SimulatedPeer): Promise<number[]> => {
    const hopsOfAll: number[] = []
    const lookUp = async (): Promise<void> => {
      const key = someKey(world)
      const { owner, hops } = await whose().node.lookup(key)
      if (owner.position !== contacts[rankOf(contacts, key) % contacts.length]!.place) wrong++
      hopsOfAll.push(hops)
    }
    for (let begun = 0; hopsOfAll.length < count; await world.simulation.advance(stepMs)) {
      for (let more = 0; more < lookupsPerStep && begun < count; more++, begun++) void lookUp()
    }
    return hopsOfAll
  }
  const cold = await lookUpAll(lookups, () => peers[1 + world.random.below(peers.length - 1)]!)
  const client = (): SimulatedPeer => peers[0]!
  await lookUpAll(Math.min(warmingMax, positions), client)
  const warm = await lookUpAll(lookups, client)
  const isIdeal = firstNotIdeal(world.members(), successorsMax) === undefined
  return { cold: mean(cold), coldMost: Math.max(...cold), warm: mean(warm), wrong, changes, isIdeal }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
