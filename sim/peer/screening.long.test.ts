// Newcomers that have to prove themselves, as whole peers: without places they keep a spare copy, get places when those around them
// vouch for them, and lose them when they fade.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork, hasCopies, shownBy, statusOf } from './crawled-network.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 900_000
const minuteMs = 60_000
const web = { sites: 40, pages: 1, peers: 3, patienceMs: 3_000 }
const audits = { bytesPerSecond: 1_000_000, roundMs: 15_000 }
const trusted = ['peer-0', 'peer-1', 'peer-2']

function isOnRingOf(network: WholeNetwork, peer: string, seenBy: string): boolean {
  const { known } = network.peer(seenBy).home.ring!.view()
  return known.some(({ contact }) => contact.peer === peer)
}

test(
  'a newcomer has no places, keeps a spare copy, gets its places when it has proved itself, and loses them when it is gone',
  async () => {
    const { network, sites } = await crawledNetwork({ ...web, audits, seed: 'screening 3' })
    const invitation = await network.inviteNewcomers(2, minuteMs)
    const { name, home, store } = await network.add(invitation)
    const { peer } = home.ring!
    await network.advance(30_000)
    assert.equal(home.ring!.isSpare, true)
    for (const other of trusted) assert.equal(isOnRingOf(network, peer, other), false)
    assert.equal((await statusOf(network, 'peer-0')).peers.length, 3)
    // It shows all, though it keeps next to nothing.
    assert.equal((await shownBy(network, name, sites)).size, sites.urls.length)
    const captures = async () => (await network.complete(store.stat())).captures
    await network.until('spare copies', async () => (await captures()) > 0, 2 * minuteMs)
    assert.equal(home.ring!.isSpare, true)
    const isPlaced = async () => trusted.every((other) => isOnRingOf(network, peer, other))
    await network.until('its places', isPlaced, 10 * minuteMs)
    assert.equal(home.ring!.isSpare, false)
    await network.until('three copies', async () => hasCopies(await statusOf(network, 'peer-0'), 3))
    network.kill(name)
    const isBarred = (other: string) => network.peer(other).home.ring!.members.isBarred(peer)
    await network.until('it to be given up', async () => trusted.every(isBarred), 10 * minuteMs)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
