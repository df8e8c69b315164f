import assert from 'node:assert/strict'
import { test } from 'vitest'
import { pageCapture, sampleOptions } from '../../store/fixtures/sample-captures.ts'
import { Store } from '../../store/store.ts'
import { simulatedWorld } from '../../world/simulated/world.ts'
import { CaptureTaking } from './capture-taking.ts'
import type { CaptureCopy } from './held-captures.ts'

test('captures are taken whatever their order, those that rest on others after them', async () => {
  const world = simulatedWorld({ seed: 1 })
  const open = (name: string): Promise<Store> => Store.open(world.machine(name), '/store', sampleOptions)
  const run = async (): Promise<void> => {
    const [giver, taker] = [await open('a'), await open('b')]
    for (const url of ['http://b.test/', 'http://a.test/', 'http://c.test/'])
      await giver.append(pageCapture(url, 1_000, 'the same everywhere'))
    const captures = []
    for (const { key } of giver.roster.entries({})) {
      const copy = await giver.give(giver.roster.cursorOf(key)!)
      captures.push({ key, copy: () => copy! })
    }
    const taking = new CaptureTaking({ held: { take: (copy: CaptureCopy) => taker.take(copy) } as never })
    for (const order of [captures, captures.toReversed()]) {
      const outcomes = new Set(await taking.take(order))
      assert.equal(outcomes.size, 1)
      assert(!outcomes.has('lacking'))
    }
  }
  await world.complete(run())
})
