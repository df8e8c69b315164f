// Lookups while peers come and go: sessions with a given median, half of them ending silently, half refused.
//
// Right: the owner found is the first position at or after the key of those that were on the ring all through the lookup, or
// one nearer that came meanwhile. Wrong accepting: at the moment when one said "mine", another owned the key as well.

import type { SimulatedPeer } from '../../sim/ring/ring-world.ts'
import { PolyhistorError } from '../../src/errors.ts'
import type { RingKey } from '../../src/record/ring-key.ts'
import { arcBetween } from '../../src/ring/place.ts'
import { buildRing, someKey } from './built-ring.ts'

export interface ChurnFigures {
  lookups: number
  right: number
  failed: number
  wrongAccepting: number
  meanMs: number
  bytesPerSecond: number
}

const stepMs = 100

export async function measureChurn(
  peers: number,
  medianMinutes: number,
  minutes: number,
): Promise<ChurnFigures> {
  const { world } = buildRing(peers, { seed: `churn ${medianMinutes}`, isRunning: true })
  const random = world.random.fork('churn')
  const meanMs = (medianMinutes * 60_000) / Math.LN2
  const figures = { lookups: 0, right: 0, failed: 0, wrongAccepting: 0, totalMs: 0 }
  /** When each position came onto the ring. */
  const sinceMs = new Map<RingKey, number>()
  for (const place of world.members().keys()) sinceMs.set(place, 0)
  world.changed = ({ node }) => {
    for (const { machine } of node.positions) {
      if (machine.status === 'member' && !sinceMs.has(machine.self.place))
        sinceMs.set(machine.self.place, world.simulation.nowMs)
    }
  }
  world.fabric.watch = (_, question, answer) => {
    if (question[1] !== 1 || answer[1] !== 1) return
    const key = Buffer.from(question.subarray(2, 22)).toString('hex') as RingKey
    let owners = 0
    for (const { node } of world.peers.values()) if (node.isOwner(key)) owners++
    if (owners > 1) figures.wrongAccepting++
  }

  const isIn = ({ node }: SimulatedPeer): boolean => node.positions[0]!.machine.status === 'member'
  const someIn = (): SimulatedPeer => {
    const members = [...world.peers.values()].filter(isIn)
    return members[random.below(members.length)]!
  }
  const isRight = (key: RingKey, owner: RingKey, startMs: number): boolean => {
    const arc = owner === key ? 0 : arcBetween(key, owner)
    for (const { node } of world.peers.values()) {
      const { self, status } = node.positions[0]!.machine
      const isOld = (sinceMs.get(self.place) ?? Number.POSITIVE_INFINITY) < startMs - 1_000
      if (status === 'member' && isOld && arcBetween(key, self.place) < arc) return false
    }
    return true
  }
  const lookUp = async (): Promise<void> => {
    const startMs = world.simulation.nowMs
    const key = someKey(world)
    const { node, port } = someIn()
    try {
      const { owner } = await node.lookup(key)
      if (port.isOver) return
      figures.lookups++
      figures.totalMs += world.simulation.nowMs - startMs
      if (isRight(key, owner.position, startMs)) figures.right++
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      figures.lookups++
      figures.failed++
    }
  }

  await world.simulation.advance(15_000)
  const startBytes = world.fabric.bytesSent
  const untilMs = world.simulation.nowMs + minutes * 60_000
  while (world.simulation.nowMs < untilMs) {
    if (random.chance((stepMs / meanMs) * peers)) void world.join(world.begin(), () => [someIn(), someIn()])
    const members = [...world.peers.values()].filter(isIn)
    if (random.chance((stepMs / meanMs) * members.length)) world.kill(someIn(), random.chance(0.5))
    void lookUp()
    await world.simulation.advance(stepMs)
  }
  const bytes = world.fabric.bytesSent - startBytes
  await world.simulation.advance(20_000)
  return {
    ...figures,
    meanMs: figures.totalMs / figures.lookups,
    bytesPerSecond: bytes / (minutes * 60) / peers,
  }
}
