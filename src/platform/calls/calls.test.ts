import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { PeerUnreachable } from '../network/network.ts'
import { RealClock } from '../real/clock.ts'
import { patientLimits } from '../real/fixtures/patient-limits.ts'
import { startNetwork } from '../real/network/network.ts'
import { RealRandom } from '../real/random.ts'
import { calm, type Link } from '../simulated/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../simulated/world.ts'
import { CallFailed, type CallLimits, Calls, CallTimedOut, TooManyCalls } from './calls.ts'

const text = (string: string): Uint8Array => new TextEncoder().encode(string)
const string = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const soon = { deadlineMs: 1_000 }

function askerAndAnswerer(
  link: Partial<Link> = {},
  limits: Partial<CallLimits> = {},
): { world: SimulatedWorld; asker: Calls; answerer: Calls } {
  const world = simulatedWorld({ seed: 1, link: { ...calm, ...link } })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  return { world, asker: new Calls(a, limits), answerer: new Calls(b, limits) }
}

test('a call gives the answer', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  answerer.answer(async (from, bytes) => text(`${from} asked ${string(bytes)}`))
  assert.equal(string(await world.complete(asker.call('b', text('why'), soon))), 'a asked why')
  assert.equal(world.simulation.pendingCount, 0, 'its timer is left behind')
})

test('many calls at once each get their own answer, also when messages are repeated and overtake each other', async () => {
  const { world, asker, answerer } = askerAndAnswerer({ delayMsMax: 20, duplication: 0.5, reordering: 0.5 })
  let handled = 0
  answerer.answer((_from, bytes) => {
    handled++
    return bytes
  })
  const calls = Array.from({ length: 1_000 }, (_, index) => asker.call('b', text(`${index}`), soon))
  const answers = await world.complete(Promise.all(calls))
  assert.deepEqual(
    answers.map(string),
    answers.map((_, index) => `${index}`),
  )
  await world.simulation.run()
  assert.equal(handled, 1_000)
})

test('without an answer a call times out, exactly at its deadline', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  world.network.cutOneWay('b', 'a')
  answerer.answer((_from, bytes) => bytes)
  await assert.rejects(world.complete(asker.call('b', text('why'), soon)), (error) => {
    assert(error instanceof CallTimedOut)
    assert.deepEqual([error.code, error.retry, error.peer], ['call-timed-out', 'later', 'b'])
    return true
  })
  assert.equal(world.simulation.nowMs, 1_000)
})

test('an answer that comes too late is dropped', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  const { clock } = world.machine('b')
  answerer.answer(async (_from, bytes) => {
    await clock.sleep(2_000)
    return bytes
  })
  await assert.rejects(world.complete(asker.call('b', text('slow'), soon)), CallTimedOut)
  await world.simulation.run()
  answerer.answer(() => text('fast'))
  assert.equal(string(await world.complete(asker.call('b', text('why'), soon))), 'fast')
})

test('the other’s failure comes with its code, message and hint', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  answerer.answer(() => {
    throw new PolyhistorError('not-mine', 'Ask c', { retry: 'later' })
  })
  await assert.rejects(world.complete(asker.call('b', text('why'), soon)), (error) => {
    assert(error instanceof CallFailed)
    assert.deepEqual(
      [error.code, error.message, error.retry, error.peer],
      ['not-mine', 'Ask c', 'later', 'b'],
    )
    return true
  })
})

test('a peer that is down is told of at once', async () => {
  const { world, asker } = askerAndAnswerer()
  world.machine('b').kill()
  await assert.rejects(world.complete(asker.call('b', text('why'), soon)), PeerUnreachable)
  assert(world.simulation.nowMs < 1_000)
})

test('a call ends when its signal is aborted, before or after it was made', async () => {
  const { world, asker } = askerAndAnswerer()
  world.network.cut(['a'], ['b'])
  const controller = new AbortController()
  const reason = new Error('enough')
  world.machine('a').clock.after(10, () => controller.abort(reason))
  const options = { ...soon, signal: controller.signal }
  await assert.rejects(world.complete(asker.call('b', text('why'), options)), (error) => error === reason)
  await assert.rejects(asker.call('b', text('why'), options), (error) => error === reason)
  assert.equal(world.simulation.nowMs, 10)
})

test('more calls than may wait at once are refused, to that peer alone', async () => {
  const { world, asker, answerer } = askerAndAnswerer({}, { inFlightMax: 2 })
  const c = world.machine('c')
  world.machine('a').network.learn('c', c.network.addresses())
  new Calls(c).answer((_from, bytes) => bytes)
  answerer.answer((_from, bytes) => bytes)
  const calls = [1, 2].map(() => asker.call('b', text('why'), soon))
  await assert.rejects(asker.call('b', text('one too many'), soon), TooManyCalls)
  calls.push(asker.call('c', text('why'), soon))
  assert.equal((await world.complete(Promise.all(calls))).length, 3)
  await world.complete(asker.call('b', text('room again'), soon))
})

test('more questions than may be worked on at once are answered with a refusal', async () => {
  const { world, asker, answerer } = askerAndAnswerer({}, { handlingMax: 2 })
  const { clock } = world.machine('b')
  answerer.answer(async (_from, bytes) => {
    await clock.sleep(100)
    return bytes
  })
  const calls = [1, 2, 3].map(() => asker.call('b', text('why'), soon))
  const results = await world.complete(Promise.allSettled(calls))
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected'])
  const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  assert.equal(refused.reason.code, 'too-many-calls')
})

test('repeated questions are known only as far back as is remembered', async () => {
  const { world, answerer } = askerAndAnswerer({}, { rememberedMax: 2 })
  let handled = 0
  answerer.answer((_from, bytes) => {
    handled++
    return bytes
  })
  const question = (id: number): Uint8Array => new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, id, 0, 0, 3, 0, 65])
  const { network } = world.machine('a')
  for (const id of [1, 1, 2, 1, 3, 2, 3, 1]) {
    await network.send('b', question(id))
    await world.advance(10)
  }
  assert.equal(handled, 4)
})

test('an answer counts only from the peer that was asked', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  const liar = world.machine('c').network
  liar.learn('a', world.machine('a').network.addresses())
  let asked: Uint8Array | undefined
  answerer.answer(async () => {
    // The liar has seen the number of the call, and is faster.
    await liar.send('a', asked!)
    await world.machine('b').clock.sleep(50)
    return text('truth')
  })
  const { network } = world.machine('a')
  const send = network.send.bind(network)
  network.send = (to, bytes) => {
    const [start] = bytes as Uint8Array[]
    asked = Uint8Array.from([1, ...start!.subarray(1, 9), ...text('lie')])
    return send(to, bytes)
  }
  assert.equal(string(await world.complete(asker.call('b', text('why'), soon))), 'truth')
})

test('messages that are no calls are dropped', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  answerer.answer((_from, bytes) => bytes)
  const { network } = world.machine('a')
  for (const bytes of [
    [],
    [0],
    [0, 1, 2, 3],
    [9, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 255],
  ]) {
    await network.send('b', new Uint8Array(bytes))
  }
  assert.equal(string(await world.complete(asker.call('b', text('why'), soon))), 'why')
})

test('a handler whose asker gives up is told, and its answer is not sent', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  const ended: string[] = []
  answerer.answer(async (_from, bytes, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    ended.push(`${string(bytes)} at ${Math.round(world.simulation.nowMs / 100) * 100}`)
    throw new Error('nobody hears this')
  })
  const controller = new AbortController()
  const cancelled = asker.call('b', text('cancelled'), { deadlineMs: 1_000, signal: controller.signal })
  const late = asker.call('b', text('late'), { deadlineMs: 500 })
  const results = Promise.allSettled([cancelled, late])
  await world.advance(200)
  controller.abort(new Error('enough'))
  const [first, second] = await world.complete(results)
  assert.equal((first as PromiseRejectedResult).reason.message, 'enough')
  assert((second as PromiseRejectedResult).reason instanceof CallTimedOut)
  await world.simulation.run()
  assert.deepEqual(ended, ['cancelled at 200', 'late at 500'])
})

test('questions that are worked on take so many bytes and no more, but one always may', async () => {
  const { world, asker, answerer } = askerAndAnswerer({}, { handlingBytesMax: 1_000 })
  const { clock } = world.machine('b')
  answerer.answer(async (_from, bytes) => {
    await clock.sleep(100)
    return bytes.subarray(0, 1)
  })
  const sizes = async (...bytes: number[]): Promise<string[]> => {
    const calls = bytes.map((size) => asker.call('b', new Uint8Array(size), soon))
    const results = await world.complete(Promise.allSettled(calls))
    return results.map((result) => (result.status === 'rejected' ? result.reason.code : 'answered'))
  }
  assert.deepEqual(await sizes(2_000), ['answered'])
  assert.deepEqual(await sizes(500, 400, 400), ['answered', 'answered', 'too-many-calls'])
})

test('a process that was started again is not taken for repeating itself', async () => {
  const { world, asker, answerer } = askerAndAnswerer()
  answerer.answer((_from, bytes) => bytes)
  await world.complete(asker.call('b', text('before'), soon))
  const a = world.machine('a')
  a.kill()
  a.restart()
  a.network.learn('b', ['/simulated/b'])
  assert.equal(string(await world.complete(new Calls(a).call('b', text('after'), soon))), 'after')
})

describe('over a real network', () => {
  test('calls are answered, failures told, and thousands go at once', async () => {
    const listen = ['/ip4/127.0.0.1/tcp/0']
    const [a, b] = [
      await startNetwork({ listen, ...patientLimits }),
      await startNetwork({ listen, ...patientLimits }),
    ]
    try {
      a.learn(b.self, b.addresses())
      const needs = { clock: new RealClock(), random: new RealRandom() }
      const asker = new Calls({ ...needs, network: a }, { inFlightMax: 5_000 })
      const answerer = new Calls({ ...needs, network: b }, { handlingMax: 5_000 })
      answerer.answer(async (from, bytes) => {
        assert.equal(from, a.self)
        if (bytes.length === 0) throw new PolyhistorError('nothing-asked', 'You asked nothing')
        return bytes
      })
      const options = { deadlineMs: 50_000 }
      await assert.rejects(asker.call(b.self, text(''), options), { code: 'nothing-asked' })
      const calls = Array.from({ length: 5_000 }, (_, index) => asker.call(b.self, text(`${index}`), options))
      assert.deepEqual(
        (await Promise.all(calls)).map(string),
        calls.map((_, index) => `${index}`),
      )
    } finally {
      await Promise.all([a.close(), b.close()])
    }
  })
})
