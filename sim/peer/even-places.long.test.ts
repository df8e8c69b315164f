// Peers take and give up places of their tickets until all keep about as much, and then stay as they are.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../src/model/url/url.ts'
import { keepersAt } from '../../src/network/even-places/kept-change.ts'
import { checkReading } from './campaign.ts'
import { crawledNetwork } from './crawled-network.ts'
import { healthProblemOf } from './health.ts'
import type { LinkedSites } from './linked-sites.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 900_000
const minuteMs = 60_000
const copies = 3
const evenPlaces = { lookMs: 30_000, calmMs: 30_000, stepEveryMs: 45_000, bytesMin: 10_000 }

test(
  'five peers come to keep about as much each, nothing is lost on the way, and then no place moves any more, also over a restart',
  async () => {
    const { network, sites } = await crawledNetwork({
      ...{ seed: 'a', peers: 5, sites: 60, pages: 3, textBytes: 500, copies },
      evenPlaces,
    })
    const before = unevenness(keptPages(network, sites))
    assert(before > 1.25, `by the first places: ${before}`)
    await network.advance(20 * minuteMs)
    const [kept, places] = [keptPages(network, sites), placesOf(network)]
    assert(unevenness(kept) <= 1.25, `kept ${kept} with the places ${JSON.stringify(places)}`)
    await network.until('all copies', async () => (await healthProblemOf(network)) ?? true)
    await checkReading(network, sites)
    await network.stop('peer-1')
    await network.start('peer-1')
    await network.advance(10 * minuteMs)
    assert.deepEqual(placesOf(network), places)
    await network.until('all copies again', async () => (await healthProblemOf(network)) ?? true)
    assert.deepEqual(network.faults, [])
    await network.end()
  },
  hangMs,
)

/** By peer: how many pages it is to keep by where all stand. */
function keptPages(network: WholeNetwork, sites: LinkedSites): number[] {
  const ring = network.peers
    .flatMap(({ home }) => {
      const { known } = home.ring!.view()
      return known.filter(({ isOurs }) => isOurs).map(({ contact }) => contact)
    })
    .sort((one, other) => (one.place < other.place ? -1 : 1))
  const kept = new Map<string, number>()
  for (const url of sites.urls) {
    const key = parseUrl(url).ringKey
    const owner = Math.max(
      0,
      ring.findIndex(({ place }) => place >= key),
    )
    for (const peer of keepersAt(ring, owner, copies)) kept.set(peer, (kept.get(peer) ?? 0) + 1)
  }
  return network.peers.map(({ home }) => kept.get(home.ring!.peer) ?? 0)
}

function placesOf(network: WholeNetwork): Record<string, number[]> {
  return Object.fromEntries(
    network.peers
      .map(({ name, home }) => [name, home.ring!.taken.indexes] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

function unevenness(counts: readonly number[]): number {
  return (Math.max(...counts) * counts.length) / counts.reduce((sum, count) => sum + count, 0)
}
