import assert from 'node:assert/strict'
import { test } from 'vitest'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import { silentLog } from '../log.ts'
import { simulatedWorld } from '../simulated/world.ts'
import { CallFaults } from './call-faults.ts'
import { CallServices } from './call-services.ts'
import { Calls } from './calls.ts'

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

test('what a question makes a handler throw is answered as a failure, counted against its sender, and goes no further', async () => {
  const world = simulatedWorld({ seed: 1 })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  const logged: object[] = []
  const log = {
    ...silentLog,
    error: (facts: object) => logged.push(facts),
    warn: (facts: object) => logged.push(facts),
  }
  const faults = new CallFaults({ clock: b.clock, log })
  const [asker, answerer] = [new CallServices(new Calls(a)), new CallServices(new Calls(b), faults)]
  answerer.service('ring').answer((_from, bytes) => {
    if (bytes.length > 0) return bytes
    throw new TypeError('cannot read properties of undefined')
  })
  answerer.service('replica').answer(async (_from, bytes) => {
    await b.clock.sleep(1)
    if (bytes.length === 1) return new Uint8Array(answerer.service('replica').bytesMax + 2)
    if (bytes.length === 2) throw new MessageMalformed('it is short')
    assert.equal(bytes.length, 3, 'an invariant that the question broke')
    return bytes
  })
  const ask = (name: 'ring' | 'replica', length: number): Promise<Uint8Array> =>
    world.complete(asker.service(name).call('b', new Uint8Array(length), soon))
  for (let count = 0; count < 50; count++) {
    await assert.rejects(ask('ring', 0), { code: 'peer-failed' })
    await assert.rejects(ask('replica', 0), { code: 'peer-failed' })
  }
  await assert.rejects(ask('replica', 1), { code: 'peer-failed' })
  await assert.rejects(ask('replica', 2), { code: 'message-malformed' })
  assert.equal((await ask('ring', 1)).length, 1)
  assert.equal((await ask('replica', 3)).length, 3)
  assert.deepEqual(faults.view(), {
    total: { malformed: 1, failed: 101, throttled: 0 },
    worst: [
      { peer: 'a', service: 'replica', malformed: 1, failed: 51, throttled: 0 },
      { peer: 'a', service: 'ring', malformed: 0, failed: 50, throttled: 0 },
    ],
  })
  assert.equal(logged.length, 3, 'each service and kind is logged once in a while')
})

test('who gave up has not made anybody fail', async () => {
  const world = simulatedWorld({ seed: 1 })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  const faults = new CallFaults({ clock: b.clock, log: silentLog })
  new CallServices(new Calls(b), faults).service('ring').answer(async (_from, bytes, { signal }) => {
    await b.clock.sleep(500)
    signal.throwIfAborted()
    return bytes
  })
  const call = new CallServices(new Calls(a))
    .service('ring')
    .call('b', new Uint8Array(1), { deadlineMs: 100 })
  await assert.rejects(world.complete(call), { code: 'call-timed-out' })
  await world.advance(1_000)
  assert.equal(faults.view().total.failed, 0)
})

test('without a place for faults an unexpected error is thrown on: it fails a simulation', async () => {
  const world = simulatedWorld({ seed: 1 })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  let thrown: unknown
  const calls = new Calls(b)
  const services = new CallServices({
    bytesMax: calls.bytesMax,
    call: (...asked) => calls.call(...asked),
    answer: (handler) =>
      calls.answer((from, bytes, context) => {
        try {
          return handler(from, bytes, context)
        } catch (error) {
          thrown = error
          return new Uint8Array()
        }
      }),
  })
  services.service('ring').answer(() => assert.fail('broken'))
  await world.complete(new CallServices(new Calls(a)).service('ring').call('b', new Uint8Array(1), soon))
  assert(thrown instanceof assert.AssertionError)
})
