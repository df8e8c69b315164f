// A job of a network of real peers, as a person begins it: `polyhistor crawl` beside one of the peers.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runWords } from '../ring/peer-process.ts'
import { healed } from './health.ts'
import { startNetworkAndWeb } from './network-and-web.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'

const minutes = 60_000

/** Said on one peer, carried out on all. */
async function takeDown(network: NetworkOfPeers, url: string): Promise<void> {
  const { host } = new URL(url)
  const isListed = async (peer: NetworkOfPeers['peers'][number]): Promise<boolean> =>
    (await peer.listed(host)).some((capture) => capture.url === url)
  for (const peer of network.peers) assert.ok(await isListed(peer))
  const home = network.peers[2]!.home
  await runWords(['takedown', '--url', url, '--yes', '--reason', 'asked for', '--home', home])
  for (const peer of network.peers) {
    while (await isListed(peer)) await new Promise((resolve) => setTimeout(resolve, 200))
    const { takedowns } = await peer.ask<{ takedowns: { reason: string }[] }>('/api/v1/takedowns')
    assert.deepEqual(
      takedowns.map(({ reason }) => reason),
      ['asked for'],
    )
  }
}

test(
  'crawl ends when the whole network has fetched everything, every peer tells the same of it, and what is taken down is so on all',
  async () => {
    const web = { sites: 8, pages: 8, images: 2, seed: 'job', latencyMs: 5 }
    const words = ['--set', 'ring.patience=10s']
    const { network, origin } = await startNetworkAndWeb({ ...web, peers: 3, words })
    await healed(network, minutes)
    const [, second] = network.peers
    const printed = await runWords([
      'crawl',
      origin.web.start,
      '--scope',
      'any',
      '--json',
      '--home',
      second!.home,
    ])
    const { job: id, ending } = JSON.parse(printed.trim().split('\n').at(-1)!) as {
      job: string
      ending: string
    }
    assert.equal(ending, 'complete')
    const asked = new Map<string, Set<string>>()
    for (const { address, path, agent } of await origin.arrivals()) {
      if (path === '/robots.txt') continue
      const name = `${address} ${path}`
      asked.set(name, (asked.get(name) ?? new Set()).add(agent))
    }
    assert.equal(asked.size, origin.web.urls.length)
    assert.ok(new Set([...asked.values()].flatMap((agents) => [...agents])).size > 1)
    for (const peer of network.peers) {
      const { state, counters } = await peer.job(id)
      assert.deepEqual([state, counters.pending, counters.fetched], ['done', 0, origin.web.urls.length])
    }
    await takeDown(network, origin.web.start)
    assert.deepEqual(network.faults, [])
  },
  4 * minutes,
)
