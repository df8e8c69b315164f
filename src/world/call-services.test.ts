import assert from 'node:assert/strict'
import { test } from 'vitest'
import { CallServices } from './call-services.ts'
import { Calls } from './calls.ts'
import { simulatedWorld } from './simulated/world.ts'

const soon = { deadlineMs: 1_000 }

test('each service has its own handler; one that is not there is said to be unknown', async () => {
  const world = simulatedWorld({ seed: 1 })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  const [asker, answerer] = [new CallServices(new Calls(a)), new CallServices(new Calls(b))]
  answerer.service('ring').answer((_from, bytes) => Buffer.from(`ring ${Buffer.from(bytes)}`))
  answerer.service('replica').answer((_from, bytes) => Buffer.from(`replica ${Buffer.from(bytes)}`))
  const ask = async (name: 'ring' | 'replica' | 'feed'): Promise<string> =>
    Buffer.from(await world.complete(asker.service(name).call('b', Buffer.from('why'), soon))).toString()
  assert.equal(await ask('ring'), 'ring why')
  assert.equal(await ask('replica'), 'replica why')
  await assert.rejects(ask('feed'), { code: 'service-unknown' })
  const bare = new Calls(world.machine('c'))
  world.machine('c').network.learn('b', b.network.addresses())
  await assert.rejects(world.complete(bare.call('b', new Uint8Array(), soon)), { code: 'service-unknown' })
})

test('a service that is stopped refuses, and what it was asked before is answered', async () => {
  const world = simulatedWorld({ seed: 1 })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  const [asker, answerer] = [new CallServices(new Calls(a)), new CallServices(new Calls(b))]
  let isAnswered = false
  answerer.service('replica').answer(async () => {
    await b.clock.sleep(500)
    isAnswered = true
    return Buffer.from('late')
  })
  const early = asker.service('replica').call('b', Buffer.from('why'), soon)
  await world.simulation.advance(200)
  await world.complete(answerer.stop(['replica']))
  assert.equal(isAnswered, true)
  assert.equal(Buffer.from(await world.complete(early)).toString(), 'late')
  const late = asker.service('replica').call('b', Buffer.from('why'), soon)
  await assert.rejects(world.complete(late), { code: 'service-stopped', retry: 'later' })
})
