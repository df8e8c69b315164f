import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { PresentPeers } from './present-peers.ts'

function opened(copies = 3) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('any')
  const names = new Set(['a', 'b', 'c', 'd'])
  const away = new Set<string>()
  const seenBy = (self: string): PresentPeers => {
    const others = () => [...names].filter((name) => name !== self)
    const peers = () => others().filter((name) => !away.has(name))
    return new PresentPeers({ clock, self, peers, members: others }, copies)
  }
  return { world, away, seenBy }
}

test('who sees the same peers gives the same number, and none for a while after they changed', async () => {
  const { world, away, seenBy } = opened()
  const [a, b] = [seenBy('a'), seenBy('b')]
  assert.deepEqual([a.view(), b.view()], [0, 0])
  await world.advance(10_000)
  assert.equal(a.view(), b.view())
  assert.notEqual(a.view(), 0)
  const before = a.view()
  away.add('d')
  assert.equal(a.view(), 0)
  await world.advance(10_000)
  assert.notEqual(a.view(), before)
  assert.notEqual(a.view(), b.view(), 'it has noticed just now')
  await world.advance(10_000)
  assert.equal(a.view(), b.view())
})

test('stable after a minute without a change, and too few when as many are away as keep copies', async () => {
  const { world, away, seenBy } = opened(2)
  const peers = seenBy('a')
  peers.view()
  await world.advance(59_999)
  assert(!peers.isStable())
  await world.advance(1)
  assert(peers.isStable() && peers.isEnough())
  away.add('d')
  assert(!peers.isStable() && peers.isEnough())
  away.add('c')
  assert(!peers.isEnough())
})
