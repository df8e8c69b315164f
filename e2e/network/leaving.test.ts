// A peer that leaves its network for good, as its owner says it: what it kept is with the others before it goes.

import assert from 'node:assert/strict'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { SimulatedRandom } from '../../src/world/simulated/random.ts'
import { runWords } from '../ring/peer-process.ts'
import { NetworkOfPeers } from './network-of-peers.ts'
import { SitesProcess } from './sites-process.ts'
import { until } from './until.ts'

const words = ['--allow-address', '127.0.0.0/8', '--delay', '0', '--set', 'ring.mdns=no']

test('network leave: the others have three copies of everything at once, and the home is alone', {
  timeout: 240_000,
}, async () => {
  const origin = await SitesProcess.start({ sites: 5, pages: 6, images: 2, seed: 'leave', latencyMs: 0 })
  const network = await NetworkOfPeers.start({ peers: 4, words }, new SimulatedRandom('leave'))
  try {
    const [first, , , leaver] = network.peers
    const { id } = await first!.startJob([origin.web.start])
    await until(async () => (await first!.job(id)).state === 'done')
    const { entries } = (await first!.status()).sums
    leaver!.expectEnd()
    const printed = await runWords(['network', 'leave', '--home', leaver!.home])
    assert.match(printed, /alone/)
    await assert.rejects(access(join(leaver!.home, 'network.json')))
    await until(async () => {
      const { sums, peers } = await first!.status()
      const isSafe = sums.histogram.every((count, copies) => copies >= 3 || count === 0)
      return peers.length === 3 && sums.entries >= entries && isSafe
    })
    const alone = await runWords(['store', 'stat', '--json', '--home', leaver!.home])
    assert.ok((JSON.parse(alone) as { captures: number }).captures > 0)
    assert.deepEqual(network.faults, [])
  } finally {
    await network.end()
    await network.removeFolder()
    await origin.stop()
  }
})
