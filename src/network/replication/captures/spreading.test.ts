import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { pageCapture } from '../../../store/fixtures/sample-captures.ts'
import { KeepingPeers } from './fixtures/keeping-peers.ts'
import { five, fivePeers, holdersOf, keepSome, ringKeyOf, site } from './fixtures/kept-sites.ts'

describe('new captures', () => {
  test('are on every peer of their replica set when they are safe, and nowhere else', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 48)
    for (const [capture, names] of holders) {
      assert.deepEqual(names.sort(), peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!)).sort())
    }
    await peers.close()
  })

  test('of a site that is not ours go to its owner and the others that keep it', async () => {
    const peers = await fivePeers()
    const url = site(1)
    const replicas = peers.ring.replicasOf(ringKeyOf(url))
    const stranger = five.find((name) => !replicas.includes(name))!
    await peers.keep(stranger, pageCapture(url, 1_000, 'page'))
    const [names] = (await holdersOf(peers)).values()
    assert.deepEqual(names, [...replicas, stranger].sort())
    await peers.close()
  })

  test('are safe at once where there is nobody else', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }))
    await peers.start('a')
    const before = peers.world.simulation.nowMs
    await peers.keep('a', pageCapture(site(1), 1_000, 'page'))
    assert(peers.world.simulation.nowMs - before < 100)
    assert(peers.at('a').copies.isComplete(ringKeyOf(site(1))))
    await peers.close()
  })

  test('are safe with one of the set silent only after patience, and it gets them when it is back', async () => {
    const peers = await fivePeers(1, { compareEveryMs: 3_600_000 })
    await peers.world.advance(60_000)
    const url = site(1)
    const [owner, silent] = peers.ring.replicasOf(ringKeyOf(url))
    peers.world.network.cut(
      [silent!],
      five.filter((name) => name !== silent),
    )
    const before = peers.world.simulation.nowMs
    await peers.keep(owner!, pageCapture(url, 1_000, 'page'))
    assert(peers.world.simulation.nowMs - before >= 3_000)
    assert.equal((await peers.contentsOf(silent!)).size, 0)
    peers.world.network.heal()
    await peers.world.advance(120_000)
    assert.equal((await peers.contentsOf(silent!)).size, 1)
    await peers.close()
  })

  test('are not called safe with fewer than must have them', async () => {
    const peers = await fivePeers(1, { spreadGiveUpMs: 10_000 })
    const url = site(1)
    const [owner] = peers.ring.replicasOf(ringKeyOf(url))
    peers.world.network.cut(
      [owner!],
      five.filter((name) => name !== owner),
    )
    await assert.rejects(peers.keep(owner!, pageCapture(url, 1_000, 'page')), { code: 'copies-too-few' })
    await peers.close()
  })

  test('are not called safe by a newcomer that has met too few, when it was told of more or not told yet', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }), { copiesMin: 3, spreadGiveUpMs: 10_000 })
    await peers.start('a', 'b')
    const [owner] = peers.ring.replicasOf(ringKeyOf(site(1)))
    const keep = (atMs: number) => peers.keep(owner!, pageCapture(site(1), atMs, 'page'))
    for (const participants of [5, undefined]) {
      peers.participants = () => participants
      await assert.rejects(keep(1_000), { code: 'copies-too-few' })
    }
    peers.participants = () => 2
    await keep(2_000)
    await peers.close()
  })
})
