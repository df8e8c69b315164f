import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import type { ReceivedCopy, TakeOptions } from '../../../store/copying/copying.ts'
import { pageCapture, pageText, sampleOptions } from '../../../store/fixtures/sample-captures.ts'
import { Store } from '../../../store/store.ts'
import { CaptureReceiver } from './capture-receiver.ts'

const admitAll = () => ({})

test('captures are taken whatever their order, those that rest on others after them', async () => {
  const world = simulatedWorld({ seed: 1 })
  const open = (name: string): Promise<Store> => Store.open(world.machine(name), '/store', sampleOptions)
  const run = async (): Promise<void> => {
    const [sender, receiver] = [await open('a'), await open('b')]
    for (const url of ['http://b.test/', 'http://a.test/', 'http://c.test/'])
      await sender.append(pageCapture(url, 1_000, 'the same everywhere'))
    const captures = []
    for (const { key } of sender.roster.entries({})) {
      const copy = await sender.give(sender.roster.cursorOf(key)!)
      captures.push({ key, isLarge: false, copy: () => copy! })
    }
    const taking = new CaptureReceiver({
      held: { take: (copy: ReceivedCopy, how?: TakeOptions) => receiver.take(copy, how) } as never,
    })
    for (const order of [captures, captures.toReversed()]) {
      const outcomes = new Set(await taking.take(order, admitAll))
      assert.equal(outcomes.size, 1)
      assert(!outcomes.has('lacking'))
    }
  }
  await world.complete(run())
})

test('a delta waits for what it rests on, also when that came with another message', async () => {
  const world = simulatedWorld({ seed: 1 })
  const open = (name: string): Promise<Store> => Store.open(world.machine(name), '/store', sampleOptions)
  const run = async (): Promise<void> => {
    const [sender, receiver] = [await open('a'), await open('b')]
    const versions = []
    for (let version = 0; version < 8; version++) {
      const text = `${pageText(1, 10_000)} version ${version}`
      const { capture } = await sender.append(pageCapture('http://a.test/', 1_000 * version, text))
      versions.push(capture)
    }
    assert.deepEqual(new Set(versions.slice(1).map(({ kind }) => kind)), new Set(['delta']))
    const messages = []
    for (const { key } of sender.roster.entries({})) {
      const copy = await sender.give(sender.roster.cursorOf(key)!)
      messages.push([{ key, isLarge: false, copy: () => copy! }])
    }
    const taking = new CaptureReceiver({
      held: { take: (copy: ReceivedCopy, how?: TakeOptions) => receiver.take(copy, how) } as never,
    })
    const outcomes = await Promise.all(messages.map((message) => taking.take(message, admitAll)))
    assert.deepEqual(new Set(outcomes.flat()), new Set(['kept']))
  }
  await world.complete(run())
})

test('what rests on nothing waits for nobody, and shares its flush with others of its URL', async () => {
  const started: string[] = []
  const { promise: first, resolve: endFirst } = Promise.withResolvers<void>()
  const take = async (copy: ReceivedCopy, { before }: TakeOptions): Promise<'kept'> => {
    const name = Buffer.from(copy as Uint8Array).toString()
    started.push(name)
    if (name === 'first') await first
    if (name === 'rests on it') {
      await before
      started.push('its turn')
    }
    return 'kept'
  }
  const taking = new CaptureReceiver({ held: { take } as never })
  const captureOf = (name: string, time: number) => {
    const key = Buffer.concat([Buffer.from('http://a.test/'), Buffer.alloc(22), Buffer.from([time])])
    return { key, isLarge: false, copy: () => Buffer.from(name) }
  }
  const taken = Promise.all([
    taking.take([captureOf('first', 1), captureOf('second', 2)], admitAll),
    taking.take([captureOf('rests on it', 3), captureOf('fourth', 4)], admitAll),
  ])
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(started, ['first', 'second', 'rests on it', 'fourth'])
  endFirst()
  assert.deepEqual((await taken).flat(), ['kept', 'kept', 'kept', 'kept'])
  assert.equal(started.at(-1), 'its turn')
})
