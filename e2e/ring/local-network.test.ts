// Peers on the local network find each other unaided, by multicast DNS: nobody tells them an address.

import { join } from 'node:path'
import { test } from 'vitest'
import { until } from '../../src/platform/fixtures/until.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { multicastProblem } from './multicast.ts'
import { PeerProcess } from './peer-process.ts'

const problem = await multicastProblem()
if (problem !== undefined)
  console.warn(`NOT TESTED, for want of multicast: finding peers unaided (${problem})`)

const words = ['--listen', '127.0.0.1:0', '--set', 'ring.mdns=yes']

test.skipIf(problem !== undefined)(
  'two peers of one network find each other unaided, and nobody of another network',
  { timeout: 900_000 },
  async () => {
    const folder = await temporaryFolder()
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, name))
    // Made while no peer runs: it holds nobody's address.
    const created = await polyhistor(['network', 'create', 'ours', '--json', '--home', a!])
    const { invitation } = JSON.parse(created.output)
    await polyhistor(['network', 'create', 'another', '--home', c!])
    const first = new PeerProcess({ home: a!, words })
    const second = new PeerProcess({ home: b!, words: [...words, '--invite', invitation] })
    const stranger = new PeerProcess({ home: c!, words })
    try {
      await Promise.all([first.start(), stranger.start()])
      await second.start()
      const sizes = async (): Promise<number[]> =>
        Promise.all([first, second, stranger].map(async (peer) => (await peer.view()).known.length))
      await until('two that know each other', async () => (await sizes()).join() === '2,2,1', 200)
    } finally {
      await Promise.all([first, second, stranger].map((peer) => peer.end('SIGKILL')))
    }
  },
)
