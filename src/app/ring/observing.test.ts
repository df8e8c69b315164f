// A peer that may have no places: others refuse those that it claims, and it can look up all the same.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { namesAsTickets } from '../../network/ring/fixtures/names-as-tickets.ts'
import { RingNode } from '../../network/ring/ring-node.ts'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { ringCalls } from './ring-calls.ts'

const members = ['a', 'b', 'c']

/** Three on a ring, and one whom they bar; it does not know, or does not care. */
async function ringWithNewcomer() {
  const world = simulatedWorld({ seed: 1 })
  const nodeOf = (name: string) => {
    const { clock, random, network } = world.machine(name)
    const calls = ringCalls(network, new CallServices(new Calls({ network, clock, random })))
    const tickets = { ...namesAsTickets, isBarred: (peer: string) => peer === 'new' && name !== 'new' }
    return new RingNode({ clock, random, calls, tickets }, { networkId: 'test' })
  }
  const knownPeer = (name: string) => ({ peer: name, addresses: world.machine(name).network.addresses() })
  const nodes = new Map(members.map((name) => [name, nodeOf(name)]))
  await world.complete(nodes.get('a')!.join([]))
  for (const name of ['b', 'c']) await world.complete(nodes.get(name)!.join([knownPeer('a')]))
  await world.advance(10_000)
  return { world, nodes, newcomer: nodeOf('new'), known: members.map(knownPeer) }
}

test('places that are claimed too early are given by nobody', async () => {
  const { world, nodes, newcomer, known } = await ringWithNewcomer()
  await world.complete(newcomer.join(known).catch(() => {}))
  await world.advance(30_000)
  for (const node of nodes.values()) {
    const peers = node.view().known.map(({ contact }) => contact.peer)
    assert.deepEqual([...new Set(peers)].sort(), members)
  }
  for (const text of ['one', 'two', 'three', 'four', 'five']) {
    const { owner } = await world.complete(nodes.get('b')!.lookup(ringKeyOf(text)))
    assert.notEqual(owner.peer, 'new')
  }
})

test('who only observes finds the owners that members find, and is on no list', async () => {
  const { world, nodes, newcomer, known } = await ringWithNewcomer()
  await world.complete(newcomer.observe([known[1]!]))
  const seen = newcomer.view().known.map(({ contact }) => contact.peer)
  assert.deepEqual([...new Set(seen)].sort(), members)
  for (const text of ['one', 'two', 'three', 'four', 'five']) {
    const key = ringKeyOf(text)
    const found = await world.complete(newcomer.lookup(key))
    const right = await world.complete(nodes.get('a')!.lookup(key))
    assert.deepEqual(
      found.replicas.map(({ peer }) => peer),
      right.replicas.map(({ peer }) => peer),
    )
    assert.equal(newcomer.isOwner(key), false)
  }
  const peers = nodes
    .get('a')!
    .view()
    .known.map(({ contact }) => contact.peer)
  assert.deepEqual([...new Set(peers)].sort(), members)
})

test('who has gone since is forgotten with the next look', async () => {
  const { world, newcomer, known } = await ringWithNewcomer()
  await world.complete(newcomer.observe(known))
  world.machine('c').kill()
  await world.advance(60_000)
  await world.complete(newcomer.observe(known.slice(0, 2)))
  const seen = newcomer.view().known.map(({ contact }) => contact.peer)
  assert.deepEqual([...new Set(seen)].sort(), ['a', 'b'])
})
