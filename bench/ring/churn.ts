// Lookups while peers come and go: sessions with a given median, half of them ending silently, half refused.
//
// Right: whom the lookup found was the key's owner at some moment of the lookup, by what the simulator knows and no peer
// does: the first position at or after the key of those on the ring (tenure.ts). A lookup that fails is not right. Lookups
// whose asker dies meanwhile are not counted: nobody is left to be told.
// Wrong accepting: at the moment when one said "mine", another owned the key as well.

import { buildRing, someKey } from '../../sim/ring/built-ring.ts'
import type { SimulatedPeer } from '../../sim/ring/ring-world.ts'
import { PolyhistorError } from '../../src/errors.ts'
import type { RingKey } from '../../src/model/ring-key.ts'
import { Tenures } from './tenure.ts'

export interface ChurnFigures {
  lookups: number
  right: number
  failed: number
  wrongAccepting: number
  /** Of all that found somebody, from the quickest. */
  durationsMs: number[]
  bytesPerSecond: number
}

const stepMs = 100
const settleMs = 15_000
/** As long as a lookup may take, and a little. */
const lastLookupsMs = 25_000

export async function measureChurn(
  peers: number,
  medianMinutes: number,
  minutes: number,
): Promise<ChurnFigures> {
  const { world } = buildRing(peers, { seed: `churn ${medianMinutes}` })
  const random = world.random.fork('churn')
  const meanMs = (medianMinutes * 60_000) / Math.LN2
  const figures: ChurnFigures = {
    lookups: 0,
    right: 0,
    failed: 0,
    wrongAccepting: 0,
    durationsMs: [],
    bytesPerSecond: 0,
  }
  const tenures = new Tenures(world)
  world.fabric.watch = (_, question, answer) => {
    if (question[1] !== 1 || answer[1] !== 1) return
    const key = Buffer.from(question.subarray(2, 22)).toString('hex') as RingKey
    let owners = 0
    for (const { node } of world.peers.values()) if (node.isOwner(key)) owners++
    if (owners > 1) figures.wrongAccepting++
  }

  const members = (): SimulatedPeer[] =>
    [...world.peers.values()].filter(({ node }) => node.positions[0]!.machine.status === 'member')
  const someIn = (): SimulatedPeer => {
    const some = members()
    return some[random.below(some.length)]!
  }
  const lookUp = async (): Promise<void> => {
    const startMs = world.simulation.nowMs
    const key = someKey(world)
    try {
      const { owner } = await someIn().node.lookup(key)
      figures.durationsMs.push(world.simulation.nowMs - startMs)
      if (tenures.wasOwner(owner.position, key, startMs, world.simulation.nowMs)) figures.right++
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      figures.failed++
    }
    figures.lookups++
  }
  const advance = async (durationMs: number): Promise<void> => {
    for (let doneMs = 0; doneMs < durationMs; doneMs += stepMs) {
      await world.simulation.advance(stepMs)
      tenures.update()
    }
  }

  await advance(settleMs)
  const startBytes = world.fabric.bytesSent
  const untilMs = world.simulation.nowMs + minutes * 60_000
  while (world.simulation.nowMs < untilMs) {
    if (random.chance((stepMs / meanMs) * peers)) void world.join(world.begin(), () => [someIn(), someIn()])
    if (random.chance((stepMs / meanMs) * members().length)) world.kill(someIn(), random.chance(0.5))
    void lookUp()
    await advance(stepMs)
  }
  figures.bytesPerSecond = (world.fabric.bytesSent - startBytes) / (minutes * 60) / peers
  await advance(lastLookupsMs)
  figures.durationsMs.sort((a, b) => a - b)
  return figures
}
