// A site that is split and put together again, on real stores: copies follow, and none is missing on the way.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../../model/url/url.ts'
import { parseUuid } from '../../../model/uuid.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { rosterKey } from '../../../store/copying/capture-roster.ts'
import { pageCapture, pageText } from '../../../store/fixtures/sample-captures.ts'
import { keyOfCursor } from '../../../store/reading/capture-finder.ts'
import { cutsIn } from '../split-sites/large-parts.ts'
import type { Bound } from '../split-sites/split-sites.ts'
import { allKeys } from '../sums/key-range.ts'
import { KeepingPeers } from './fixtures/keeping-peers.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const pages = 40
const site = parseUrl('http://large.test/').ringKey
const [owner] = names

/** By the key of the capture. */
function holdersOf(peers: KeepingPeers): Map<string, PeerId[]> {
  const holders = new Map<string, PeerId[]>()
  for (const name of peers.names) {
    for (const { cursor, recordId } of peers.at(name).store.scan({ kind: 'all' })) {
      const key = Buffer.from(rosterKey(keyOfCursor(cursor), parseUuid(recordId))).toString('hex')
      holders.set(key, [...(holders.get(key) ?? []), name])
    }
  }
  return holders
}

function checkAllKept(peers: KeepingPeers, count: number): void {
  const holders = holdersOf(peers)
  assert.equal(holders.size, count)
  for (const [key, held] of holders) assert.ok(held.length >= 3, `${key} has ${held.length} copies`)
}

/** Everything lies with those who are to have it, and with nobody else. */
function checkSettled(peers: KeepingPeers): void {
  for (const [key, held] of holdersOf(peers)) {
    const place = peers.ring.splitsOf(owner!).placeOf(Buffer.from(key, 'hex'))
    assert.deepEqual(held.sort(), peers.ring.replicasOf(place).sort())
  }
}

/** Some hear of it later than others. */
async function tell(peers: KeepingPeers, bound: Bound): Promise<void> {
  for (const [index, name] of names.entries()) {
    peers.ring.splitsOf(name).set(bound)
    if (index % 3 !== 2) continue
    await peers.world.simulation.advance(4_000)
    checkAllKept(peers, pages)
  }
}

async function settle(peers: KeepingPeers): Promise<void> {
  for (let step = 0; step < 30; step++) {
    await peers.world.simulation.advance(10_000)
    checkAllKept(peers, pages)
  }
}

describe('a site', () => {
  test('that is split lies at its parts’ places; put together it lies at its own again; no copy is missing meanwhile', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 3 }), { sparesMax: 0 })
    await peers.start(...names)
    const [keeper] = peers.ring.replicasOf(site)
    const capture = (page: number, atMs: number) =>
      pageCapture(`http://large.test/${String(page).padStart(3, '0')}`, atMs, pageText(page % 7, 2_000))
    for (let page = 0; page < pages; page++) await peers.keep(keeper!, capture(page, 1_000 + page))
    checkSettled(peers)
    const { sums } = peers.at(keeper!).copies
    const [key] = cutsIn(sums, peers.ring.splitsOf(keeper!), [allKeys], pages / 2)
    await tell(peers, { key: key!, isGone: false })
    await settle(peers)
    checkSettled(peers)
    const places = new Set(
      [...holdersOf(peers).keys()].map((one) => peers.ring.splitsOf(owner!).placeOf(Buffer.from(one, 'hex'))),
    )
    assert.equal(places.size, 2)
    await tell(peers, { key: key!, isGone: true })
    await settle(peers)
    checkSettled(peers)
    await peers.close()
  })
})
