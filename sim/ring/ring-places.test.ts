// The ring as copies and lease holders see it, on rings whose peers vanish and come back.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { ringKeyOf } from '../../src/model/ring-key.ts'
import { RingPlaces } from '../../src/network/membership/presence/ring-places.ts'
import { RingWorld, type SimulatedPeer } from './ring-world.ts'

const link = { delayMsMin: 1, delayMsMax: 20, loss: 0 }
const keys = Array.from({ length: 50 }, (_, index) => ringKeyOf(`site ${index}`))
const patience = { patienceMsMin: 60_000, patienceMsMax: 60_000, rareMs: 1 }

interface Placed extends SimulatedPeer {
  number: number
  places: RingPlaces
}

function begin(world: RingWorld, number: number): Placed {
  const peer = world.begin({ number })
  const places = new RingPlaces(
    { ring: peer.node, clock: peer.port, learn: () => {} },
    { kind: 'invited', replicas: 3, patience },
  )
  return { ...peer, number, places }
}

async function ringOf(count: number, successorsMax = 16): Promise<{ world: RingWorld; peers: Placed[] }> {
  const world = new RingWorld({
    seed: `places of ${count}`,
    link,
    ring: { positions: 2, successorsMax },
  })
  const peers: Placed[] = []
  for (let number = 0; number < count; number++) {
    const peer = begin(world, number)
    await world.simulation.complete(world.join(peer, () => peers.slice(0, 1)))
    peers.push(peer)
  }
  await world.simulation.advance(30_000)
  return { world, peers }
}

const ownerOf = (peers: readonly Placed[], key = keys[0]!): Placed =>
  peers.find(({ places }) => places.isOwner(key))!

describe('places', () => {
  test.each([1, 2, 7])('of a calm ring of %i: one owner for each key, all sets alike', async (count) => {
    const { peers } = await ringOf(count)
    for (const key of keys) {
      const owners = peers.filter(({ places }) => places.isOwner(key))
      assert.equal(owners.length, 1)
      const set = owners[0]!.places.replicaSet(key)!
      assert.equal(set[0], owners[0]!.name)
      assert.equal(new Set(set).size, Math.min(3, count))
      for (const { places } of peers) {
        assert.deepEqual(new Set(places.fullSet(key)), new Set(set))
        if (places !== owners[0]!.places) assert.equal(places.replicaSet(key), undefined)
      }
      const arc = owners[0]!.places.owners.arcOf(key)!
      assert.ok(owners[0]!.places.owners.isPlaceOf(owners[0]!.name, arc.upTo))
    }
    const arcs = peers.flatMap(({ places }) => places.ownArcs())
    assert.equal(arcs.length, 2 * count)
  })

  test('a large ring: neighbours agree although none sees all of it', async () => {
    const { peers } = await ringOf(24, 8)
    for (const key of keys) {
      const owner = ownerOf(peers, key)
      assert.deepEqual([...owner.places.fullSet(key)], [...owner.places.replicaSet(key)!])
      assert.equal(owner.places.replicaSet(key)!.length, 3)
    }
  })

  test('a peer that vanished is missed by the full set until its patience is over, and counts when it is back', async () => {
    const { world, peers } = await ringOf(6)
    const [lost, ...others] = [ownerOf(peers), ...peers.filter((peer) => peer !== ownerOf(peers))]
    const full = lost.places.fullSet(keys[0]!)
    world.kill(lost, true)
    lost.places.close()
    await world.simulation.advance(20_000)
    const owner = ownerOf(others)
    assert.ok(!owner.places.replicaSet(keys[0]!)!.includes(lost.name))
    assert.equal(owner.places.replicaSet(keys[0]!)!.length, 3)
    assert.deepEqual(owner.places.fullSet(keys[0]!), full)
    assert.equal(owner.places.isGone(lost.name), false)
    await world.simulation.advance(60_000)
    assert.equal(owner.places.isGone(lost.name), true)
    assert.deepEqual(owner.places.fullSet(keys[0]!), owner.places.replicaSet(keys[0]!))
    const back = begin(world, lost.number)
    await world.simulation.complete(world.join(back, () => others.slice(0, 1)))
    await world.simulation.advance(30_000)
    assert.equal(owner.places.isGone(lost.name), false)
    assert.deepEqual(back.places.replicaSet(keys[0]!), full)
    assert.deepEqual(owner.places.fullSet(keys[0]!), full)
  })
})
