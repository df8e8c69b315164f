// Newcomers that have to prove themselves, as whole peers: without places they keep a spare copy, get places when those around them
// vouch for them, and lose them when they fade.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork, hasCopies, shownBy, statusOf } from './crawled-network.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 600_000
const minuteMs = 60_000
const web = { sites: 4, pages: 3, peers: 3, positions: 2 }
const audits = { bytesPerSecond: 1_000_000, roundMs: 15_000 }

function positionsOf(network: WholeNetwork, of: string, seenBy: string): number {
  const { peer } = network.peer(of).home.ring!
  const { known } = network.peer(seenBy).home.ring!.view()
  return known.filter(({ contact }) => contact.peer === peer).length
}

test(
  'a newcomer has no places, keeps a spare copy, and gets its places when it has proved itself',
  async () => {
    const { network, sites } = await crawledNetwork({ ...web, audits, seed: 'screening' })
    const invitation = await network.inviteNewcomers(2, 2 * minuteMs)
    const { name, home, store } = await network.add(invitation)
    await network.advance(30_000)
    assert.equal(home.ring!.isSpare, true)
    for (const other of ['peer-0', 'peer-1', 'peer-2']) assert.equal(positionsOf(network, name, other), 0)
    const shown = await shownBy(network, name, sites)
    assert.equal(shown.size, sites.urls.length)
    await network.until('spare copies', async () => (await store.stat()).captures > 0, 2 * minuteMs)
    await network.until('its places', async () => positionsOf(network, name, 'peer-0') === 2, 10 * minuteMs)
    await network.settled()
    await network.until('three copies', async () => hasCopies(await statusOf(network, 'peer-0'), 3))
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
