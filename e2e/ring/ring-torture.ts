// Eight real peers that are killed, paused for a minute, cut in two for a minute and made to leave, in turns by chance;
// each time they must agree on every owner again. `npm run torture -- ring` runs it; the tests run a short one.

import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { RingOfPeers } from './ring-of-peers.ts'

export interface TortureOptions {
  readonly rounds: number
  readonly minutes: number
  readonly seed: string
}

const peerCount = 8
const keys = 64
const deadlineMs = 120_000
const minuteMs = 60_000
const all = Array.from({ length: peerCount }, (_, index) => index)

interface Setting {
  readonly ring: RingOfPeers
  readonly random: SimulatedRandom
}

/** What is done to them. Gives how long they took to agree, by what happened. */
const torments: Record<string, (setting: Setting) => Promise<Record<string, number>>> = {
  async 'kill -9 three'({ ring, random }) {
    const killed = some(3, random)
    for (const index of killed) ring.peers[index]!.signal('SIGKILL')
    const survived = await agree(ring, without(killed))
    for (const index of killed) await ring.restart(index)
    return { 'without the three': survived, 'with them again': await agree(ring, all) }
  },
  async 'SIGSTOP one for a minute'({ ring, random }) {
    const paused = some(1, random)
    ring.peers[paused[0]!]!.signal('SIGSTOP')
    const startMs = performance.now()
    const without1 = await agree(ring, without(paused))
    await sleep(Math.max(0, minuteMs - (performance.now() - startMs)))
    ring.peers[paused[0]!]!.signal('SIGCONT')
    return { 'without it': without1, 'with it again': await agree(ring, all) }
  },
  async 'cut in two for a minute'({ ring, random }) {
    const some1 = new Set(some(1 + random.below(peerCount - 2), random).map(String))
    ring.network.cut((one, other) => some1.has(one) !== some1.has(other))
    const startMs = performance.now()
    const one = await agree(
      ring,
      all.filter((index) => some1.has(`${index}`)),
    )
    const other = await agree(
      ring,
      all.filter((index) => !some1.has(`${index}`)),
    )
    await sleep(Math.max(0, minuteMs - (performance.now() - startMs)))
    ring.network.heal()
    return {
      'the one part': one,
      'the other part, after that': other,
      'one ring again': await agree(ring, all),
    }
  },
  async 'SIGTERM two'({ ring, random }) {
    const left = some(2, random)
    const codes = await Promise.all(left.map((index) => ring.peers[index]!.end('SIGTERM')))
    if (codes.some((code) => code !== 0))
      throw new Error(`A peer that was asked to leave ended with ${codes}`)
    const stayed = await agree(ring, without(left))
    for (const index of left) await ring.restart(index)
    return { 'without the two': stayed, 'with them again': await agree(ring, all) }
  },
}

export async function tortureRing({ rounds, minutes, seed }: TortureOptions): Promise<void> {
  const random = new SimulatedRandom(seed)
  const endsAtMs = performance.now() + minutes * 60_000
  console.log(`Seed ${seed}: ${peerCount} peers, ${keys} keys asked of each`)
  const ring = await RingOfPeers.start({ count: peerCount, positions: 2, isCuttable: true })
  try {
    tell('start', { 'all agree': await agree(ring, all) })
    const names = Object.keys(torments)
    for (let round = 0; round < rounds && performance.now() < endsAtMs; round++) {
      // Each once, then by chance.
      const name = names[round < names.length ? round : random.below(names.length)]!
      tell(name, await torments[name]!({ ring, random }))
    }
  } finally {
    await ring.end()
  }
}

function agree(ring: RingOfPeers, indices: readonly number[]): Promise<number> {
  return ring.agree(indices, { keys, deadlineMs })
}

function tell(name: string, took: Record<string, number>): void {
  const times = Object.entries(took).map(([what, ms]) => `${what} ${(ms / 1_000).toFixed(1)} s`)
  console.log(`${name}: ${times.join(', ')}`)
}

function some(count: number, random: SimulatedRandom): number[] {
  const left = [...all]
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0]!)
}

function without(some: readonly number[]): number[] {
  return all.filter((index) => !some.includes(index))
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}
