// Ranks of a crawled web, asked of any peer of a network: the same as one machine computes, whatever the number of peers, and whoever
// is killed while they are computed.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork } from './crawled-network.ts'
import type { LinkedSites } from './linked-sites.ts'
import { differenceOfRanks, shownRanks } from './rank-reference.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000
const maxAgeMs = 600_000

test.each([1, 2, 4])(
  '%i peers name the same ranks, which are those of one machine',
  async (peers) => {
    const { network, sites } = await crawled(peers, `rank ${peers}`)
    await untilExact(network, sites, new Set())
    if (peers > 1) await network.end()
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'eight name the same, also when two of them are killed while they compute',
  async () => {
    const { network, sites } = await crawled(8, 'rank and kills')
    await untilExact(network, sites, new Set())
    const before = (await shownRanks(network, 'peer-0')).computed
    // The next run begins when ranks are half as old as they may be.
    const dueMs = Date.parse(before!) + maxAgeMs / 2
    await network.advance(dueMs - network.peer('peer-0').platform.clock.nowMs())
    for (const name of ['peer-3', 'peer-6']) {
      await network.advance(700)
      network.kill(name)
    }
    await untilExact(network, sites, new Set([before]))
    for (const name of ['peer-3', 'peer-6']) await network.start(name)
    const later = (await shownRanks(network, 'peer-0')).computed
    await untilExact(network, sites, new Set([before, later]))
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

async function crawled(peers: number, seed: string) {
  return crawledNetwork({ sites: 4, pages: 4, seed, peers, copies: Math.min(peers, 3), rank: { maxAgeMs } })
}

/** By a run that is none of these, at all peers. */
async function untilExact(
  network: WholeNetwork,
  sites: LinkedSites,
  without: ReadonlySet<string | null>,
): Promise<void> {
  // Copies are made, looked at for links, and ranks computed: a few minutes, which need not be looked at closely.
  await network.advance(120_000)
  for (const { name } of network.peers)
    await network.until(
      `ranks at ${name}`,
      async () => {
        const shown = await shownRanks(network, name)
        if (without.has(shown.computed)) return shown.computed
        const difference = differenceOfRanks(sites, shown)
        return difference <= 1e-9 || difference
      },
      10 * maxAgeMs,
    )
}
