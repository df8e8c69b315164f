// `npm run bench -- places [--peers N] [--positions 1,4,16] [--quiet SECONDS] [--seconds N]`: what places on the ring cost peers that
// have nothing to do: processor time and bytes between them. Each peer is a process of its own.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { healed } from '../e2e/network/health.ts'
import { NetworkOfPeers } from '../e2e/network/network-of-peers.ts'
import { SimulatedRandom } from '../src/platform/simulated/random.ts'
import { printTable } from './measure.ts'
import { bytesBetweenPeers } from './scale/peer-traffic.ts'
import { processorSeconds } from './scale/processor-time.ts'

const startMsMax = 120_000

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      peers: { type: 'string', default: '4' },
      positions: { type: 'string', default: '1,4,16' },
      quiet: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '20' },
    },
  })
  const rows: string[][] = []
  for (const positions of values.positions.split(',').map(Number)) {
    const { cores, bytesPerSecond } = await idlePeers({
      peers: Number(values.peers),
      positions,
      quietSeconds: Number(values.quiet),
      seconds: Number(values.seconds),
    })
    rows.push([
      String(positions),
      `${(100 * cores).toFixed(2)} %`,
      bytesPerSecond === undefined ? '?' : bytesPerSecond.toFixed(0),
    ])
  }
  console.log(printTable(['places each', 'of a core each', 'B/s each'], rows))
}

interface IdlePlan {
  readonly peers: number
  readonly positions: number
  /** After all are well: what was compiled and looked up at the start is over. */
  readonly quietSeconds: number
  readonly seconds: number
}

async function idlePeers({ peers, positions, quietSeconds, seconds }: IdlePlan) {
  const plan = { peers, words: ['--set', `ring.positions=${positions}`] }
  const network = await NetworkOfPeers.start(plan, new SimulatedRandom('places'))
  try {
    await healed(network, startMsMax)
    await sleep(quietSeconds * 1_000)
    const before = await countersOf(network)
    await sleep(seconds * 1_000)
    const after = await countersOf(network)
    const passed = (after.atMs - before.atMs) / 1_000
    const bytes =
      after.bytes === undefined || before.bytes === undefined ? undefined : after.bytes - before.bytes
    return {
      cores: (after.used - before.used) / passed / peers,
      bytesPerSecond: bytes === undefined ? undefined : bytes / passed / peers,
    }
  } finally {
    await network.end()
    await network.removeFolder()
  }
}

async function countersOf(network: NetworkOfPeers) {
  const used = await Promise.all(network.peers.map(({ pid }) => processorSeconds(pid)))
  return {
    atMs: performance.now(),
    used: used.reduce((sum, one) => sum + one, 0),
    bytes: await bytesBetweenPeers(network.ports),
  }
}
