// What a member of the network may bring, and what it may not, with real stores on simulated machines.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../../model/url/url.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { wallStartMs } from '../../../platform/simulated/clock.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import type { Capture } from '../../../store/capture.ts'
import { pageCapture } from '../../../store/fixtures/sample-captures.ts'
import { KeepingPeers } from './fixtures/keeping-peers.ts'
import { five, ringKeyOf, site } from './fixtures/kept-sites.ts'

const [minuteMs, dayMs] = [60_000, 86_400_000]
const url = site(3)

/** With two copies of everything the last of five is too far away to have ever kept the site. */
async function peersAround(): Promise<{ peers: KeepingPeers; owner: PeerId; stranger: PeerId }> {
  const peers = new KeepingPeers(simulatedWorld({ seed: 1 }), { copies: 2, admission: {} })
  await peers.start(...five)
  const [owner] = peers.ring.replicasOf(ringKeyOf(url))
  const stranger = five.find((name) => !peers.ring.seenBy(owner!).mayHaveKept(name, ringKeyOf(url), 0))
  return { peers, owner: owner!, stranger: stranger! }
}

/** It has the capture, and does what it can to make others have it. */
async function bring(peers: KeepingPeers, from: PeerId, atMs: number, importedBy?: string): Promise<void> {
  const { store, copies } = peers.at(from)
  const { capture } = await peers.world.complete(
    store.append(pageCapture(url, atMs, 'forged', { importedBy })),
  )
  copies.spread(capture).catch(() => {})
  await peers.world.advance(2 * minuteMs)
}

function versionsAt(peers: KeepingPeers, name: PeerId): Capture[] {
  return [...peers.at(name).store.versions(parseUrl(url))]
}

describe('a capture from another peer', () => {
  const times: Record<string, number> = {
    'in 2099': Date.UTC(2099, 0, 1),
    'an hour from now': wallStartMs + 60 * minuteMs,
    'before there was a web': Date.UTC(1985, 0, 1),
  }

  test.each(Object.keys(times))(
    'that was made %s is not taken, not even from who keeps its site',
    async (name) => {
      const { peers, owner } = await peersAround()
      await bring(peers, owner, times[name]!)
      for (const other of five.filter((peer) => peer !== owner))
        assert.deepEqual(versionsAt(peers, other), [])
      assert(peers.names.some((other) => peers.at(other).copies.status().refused > 0))
      await peers.close()
    },
  )

  test('from the future that a peer has is no reason to stay', async () => {
    const { peers, owner } = await peersAround()
    await bring(peers, owner, Date.UTC(2099, 0, 1))
    await peers.world.complete(peers.at(owner).copies.handOver(new AbortController().signal))
    await peers.close()
  })

  test('that is fresh is taken from who may keep its site, and from nobody else', async () => {
    const { peers, owner, stranger } = await peersAround()
    const nowMs = peers.world.machine(owner).clock.nowMs()
    await bring(peers, stranger, nowMs - minuteMs)
    assert.deepEqual(versionsAt(peers, owner), [])
    await bring(peers, owner, nowMs)
    assert.equal(versionsAt(peers, owner)[0]?.importedBy, undefined)
    await peers.close()
  })

  test('that is old and comes from who never kept its site counts as imported, also where it is copied on', async () => {
    const { peers, owner, stranger } = await peersAround()
    await bring(peers, stranger, wallStartMs - dayMs)
    for (const name of peers.ring.replicasOf(ringKeyOf(url))) {
      const [kept] = versionsAt(peers, name)
      assert.equal(kept?.importedBy, stranger, name)
    }
    assert(peers.ring.replicasOf(ringKeyOf(url)).includes(owner))
    await peers.close()
  })

  test('that was imported keeps its importer’s mark on every copy, whatever its past', async () => {
    const { peers, stranger } = await peersAround()
    await bring(peers, stranger, Date.UTC(1985, 0, 1), stranger)
    for (const name of peers.ring.replicasOf(ringKeyOf(url)))
      assert.equal(versionsAt(peers, name)[0]?.importedBy, stranger, name)
    await peers.close()
  })

  test('of a second of which another one is known does not stand in for it, at any honest peer', async () => {
    const { peers, owner } = await peersAround()
    const second = wallStartMs - 2 * dayMs
    await peers.keep(owner, pageCapture(url, second + 500, 'first'))
    const [, forger] = peers.ring.replicasOf(ringKeyOf(url))
    await bring(peers, forger!, second)
    for (const name of peers.names.filter((other) => other !== forger && versionsAt(peers, other).length > 0))
      assert.deepEqual(marksAt(peers, name), [
        [0, true],
        [500, false],
      ])
    await peers.close()
  })

  test('that the lease holder says to be the first of its second is known at first hand; nobody else is believed', async () => {
    const { peers, owner } = await peersAround()
    const [, other] = peers.ring.replicasOf(ringKeyOf(url))
    let crawler: PeerId | undefined
    peers.crawls = (peer) => peer === crawler
    const nowMs = Math.floor(peers.world.machine(owner).clock.nowMs() / 1_000) * 1_000 - 5_000
    await bring(peers, owner, nowMs + 100)
    assert.notEqual(versionsAt(peers, other!)[0]?.heardAtMs, undefined)
    crawler = owner
    await bring(peers, owner, nowMs + 1_100)
    assert.equal(versionsAt(peers, other!)[1]?.heardAtMs, undefined)
    await peers.close()
  })
})

function marksAt(peers: KeepingPeers, name: PeerId): unknown[] {
  const second = (ms: number): number => ms % 1_000
  return versionsAt(peers, name).map(({ capturedAtMs, isLater }) => [second(capturedAtMs), isLater])
}
