// Many die at once, half of them silently: how long until the ring is ideal again, until every key has its owner again, and
// how many of the lookups that begin at that moment find the living successor.

import { buildRing, someKey } from '../../sim/ring/built-ring.ts'
import { firstNotIdeal, idealOwner } from '../../sim/ring/ideal-ring.ts'
import { PolyhistorError } from '../../src/errors.ts'

export interface HealFigures {
  idealSeconds: number
  ownedSeconds: number
  lookupsRight: number
}

const lookups = 100
const limitMs = 120_000

export async function measureHealing(peers: number, share: number): Promise<HealFigures> {
  const { world } = buildRing(peers, { seed: `heal ${share}` })
  await world.simulation.advance(20_000)
  for (const peer of [...world.peers.values()])
    if (world.random.chance(share)) world.kill(peer, world.random.chance(0.5))
  const startMs = world.simulation.nowMs
  const members = world.members()
  let right = 0
  for (let count = 0; count < lookups; count++) {
    const key = someKey(world)
    const expected = idealOwner(members, key).machine.self.place
    world
      .someLive()
      .node.lookup(key)
      .then(
        ({ owner }) => {
          if (owner.position === expected) right++
        },
        (error: unknown) => {
          if (!(error instanceof PolyhistorError)) throw error
        },
      )
  }
  const keys = Array.from({ length: 200 }, () => someKey(world))
  const figures = { idealSeconds: Number.NaN, ownedSeconds: Number.NaN }
  while (world.simulation.nowMs - startMs < limitMs) {
    await world.simulation.advance(250)
    const seconds = (world.simulation.nowMs - startMs) / 1_000
    if (Number.isNaN(figures.idealSeconds) && firstNotIdeal(members, 16) === undefined)
      figures.idealSeconds = seconds
    if (Number.isNaN(figures.ownedSeconds) && keys.every((key) => idealOwner(members, key).owns(key)))
      figures.ownedSeconds = seconds
    if (figures.idealSeconds + figures.ownedSeconds < limitMs && seconds > 20) break
  }
  return { ...figures, lookupsRight: right / lookups }
}
