// Five real peers crawl a web while they are killed and paused; a consumer reads the changes from one peer after the other.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { ChangeReader } from './change-reader.ts'
import { healed } from './health.ts'
import { startNetworkAndWeb } from './network-and-web.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'

const minuteMs = 60_000
const movesMin = 40

test('every page is told once it is kept, in order per site, while peers are killed and paused', {
  timeout: 25 * minuteMs,
}, async () => {
  const seed = 'changes'
  const web = { sites: 10, pages: 60, images: 2, seed, latencyMs: 5 }
  const words = ['--set', 'ring.patience=30s']
  const { network, origin } = await startNetworkAndWeb({ ...web, peers: 5, words })
  await healed(network)
  const random = new SimulatedRandom(seed)
  const consumer = new ChangeReader(network, random)
  const { id } = await network.peers[0]!.startJob([origin.web.start])
  const trouble = troubled(network, random)
  const wanted = new Set(origin.web.urls)
  const endMs = Date.now() + 15 * minuteMs
  while (consumer.moves < movesMin || consumer.lacking(wanted).length > 0) {
    assert(Date.now() < endMs, `not told of job ${id}: ${consumer.lacking(wanted).slice(0, 5)}`)
    await consumer.read()
  }
  await trouble.end()
  assert.equal(consumer.ledger.events.filter(({ kind }) => kind === 'new').length, wanted.size)
  assert.deepEqual(network.faults, [])
})

/** One peer at a time is killed or paused for a while. */
function troubled(network: NetworkOfPeers, random: SimulatedRandom): { end(): Promise<void> } {
  let isOver = false
  const going = (async () => {
    for (let count = 0; count < 8 && !isOver; count++) {
      const peer = network.peers[random.below(network.peers.length)]!
      const isKilled = random.below(2) === 0
      if (isKilled) await peer.kill()
      else peer.pause()
      await new Promise((resolve) => setTimeout(resolve, random.between(1_000, 10_000)))
      if (isKilled) await peer.start()
      else peer.resume()
      await new Promise((resolve) => setTimeout(resolve, random.between(1_000, 5_000)))
    }
  })()
  return {
    end: async () => {
      isOver = true
      await going
    },
  }
}
