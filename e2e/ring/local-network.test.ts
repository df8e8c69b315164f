// Peers on the local network find each other unaided, by multicast DNS: nobody tells them an address.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { polyhistor, temporaryFolder } from '../command.ts'
import { multicastProblem } from './multicast.ts'
import { PeerProcess } from './peer-process.ts'

const problem = await multicastProblem()
if (problem !== undefined)
  console.warn(`NOT TESTED, for want of multicast: finding peers unaided (${problem})`)

/** They ask every ten seconds; the machine may be busy. */
const foundMsMax = 90_000
const words = ['--listen', '127.0.0.1:0', '--set', 'ring.mdns=yes']

test.skipIf(problem !== undefined)(
  'two peers of one network find each other unaided, and nobody of another network',
  { timeout: 180_000 },
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
      const untilMs = Date.now() + foundMsMax
      while (Date.now() < untilMs && (await sizes()).slice(0, 2).some((size) => size < 2)) {
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      assert.deepEqual(await sizes(), [2, 2, 1])
    } finally {
      await Promise.all([first, second, stranger].map((peer) => peer.end('SIGKILL')))
    }
  },
)
