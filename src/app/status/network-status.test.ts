import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { PeerStatus } from '../../model/peer-status.ts'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { NetworkStatusService } from './network-status.ts'

test('questions of other peers that come together are answered by one count', async () => {
  const world = simulatedWorld({ seed: 1 })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  const asker = new CallServices(new Calls(a)).service('status')
  let counts = 0
  new NetworkStatusService(
    {
      network: { name: 'n', id: '00' } as never,
      calls: new CallServices(new Calls(b)).service('status'),
      clock: b.clock,
      peers: () => [],
      away: () => [],
      faults: () => ({}) as never,
      notices: () => undefined,
      clockLack: () => undefined,
      copiesLack: () => undefined,
      own: async () => ({ peer: 'b', captures: ++counts }) as PeerStatus,
    },
    3,
  )
  const ask = async (): Promise<number> => {
    const answer = await asker.call('b', new Uint8Array(), { deadlineMs: 1_000 })
    return (JSON.parse(Buffer.from(answer).toString('utf8')) as PeerStatus).captures
  }
  const together = await world.complete(Promise.all(Array.from({ length: 100 }, ask)))
  assert.deepEqual(new Set(together), new Set([1]))
  await world.simulation.advance(600)
  assert.equal(await world.complete(ask()), 2)
})
