// Ranks of a web that real peers have crawled: every peer names those that one program computes from all pages, also when two peers
// are killed while ranks are computed again and again.

import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { differenceFrom, ranksOfPages, type ShownRanks } from '../../sim/peer/rank-reference.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { runWords } from '../ring/peer-process.ts'
import type { ArchivePeer } from './archive-peer.ts'
import { healed } from './health.ts'
import { startLinkedWeb } from './linked-web.ts'
import { NetworkOfPeers } from './network-of-peers.ts'

const minutes = 60_000
const pollMs = 1_000

test(
  'five peers name the ranks of one program, also when two are killed while they compute',
  async () => {
    const web = await startLinkedWeb(72)
    onTestFinished(() => web.close())
    // A run begins when ranks are half as old as they may be.
    const words = ['--allow-address', '127.0.0.0/8', '--delay', '0', '--set', 'rank.maxAge=10s']
    const plan = { peers: 5, words: [...words, '--copies', '3'] }
    const network = await NetworkOfPeers.start(plan, new SimulatedRandom('rank'))
    onTestFinished(() => network.removeFolder())
    await healed(network)
    await runWords(['crawl', web.start, '--scope', 'any', '--quiet', '--home', network.peers[0]!.home])
    await healed(network)
    const reference = ranksOfPages(web.pages)
    for (const peer of network.peers) await untilExact(peer, reference, undefined)
    const before = (await shown(network.peers[0]!)).computed
    const killed = [network.peers[1]!, network.peers[3]!]
    for (const peer of killed) await peer.kill()
    for (const peer of network.answering) await untilExact(peer, reference, before)
    for (const peer of killed) await peer.start()
    for (const peer of network.peers) await untilExact(peer, reference, before)
    assert.deepEqual(network.faults, [])
  },
  25 * minutes,
)

/** By a run that began after that one. */
async function untilExact(
  peer: ArchivePeer,
  reference: ReadonlyMap<string, number>,
  before: string | null | undefined,
): Promise<void> {
  const endMs = performance.now() + 5 * minutes
  for (;;) {
    const ranks = await shown(peer)
    const isLater = before === undefined || (ranks.computed ?? '') > (before ?? '')
    const difference = differenceFrom(reference, ranks)
    if (isLater && difference <= 1e-9) return
    assert(performance.now() < endMs, `${peer.name} is off by ${difference}, computed ${ranks.computed}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

function shown(peer: ArchivePeer): Promise<ShownRanks> {
  return peer.ask('/api/v1/rank?top=1000')
}
