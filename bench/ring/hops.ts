// Hops of lookups in rings at rest: cold, by fingers and successor lists alone; warm, by one peer that has looked much up.

import { buildRing, rankOf, someKey, still } from './built-ring.ts'

export interface Hops {
  positions: number
  cold: number
  coldMost: number
  warm: number
  wrong: number
}

export async function measureHops(positions: number, lookups = 1_000): Promise<Hops> {
  const { world, peers, contacts } = buildRing(positions, {
    seed: `hops ${positions}`,
    ...still,
    ringOfFirst: { ...still.ring, cacheMax: 32_768 },
    isRunning: false,
  })
  let wrong = 0
  const lookUp = async (node: (typeof peers)[number]['node']): Promise<number> => {
    const key = someKey(world)
    const { owner, hops } = await world.simulation.complete(node.lookup(key))
    if (owner.position !== contacts[rankOf(contacts, key) % contacts.length]!.place) wrong++
    return hops
  }
  const cold: number[] = []
  for (let count = 0; count < lookups; count++) cold.push(await lookUp(world.someLive().node))

  const client = peers[0]!
  // Each teaches it a list: enough to know nearly all of 20,000.
  const warming = Math.min(8_000, positions)
  for (let count = 0; count < warming; count++) await lookUp(client.node)
  const warm: number[] = []
  for (let count = 0; count < lookups; count++) warm.push(await lookUp(client.node))
  return { positions, cold: mean(cold), coldMost: Math.max(...cold), warm: mean(warm), wrong }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
