import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { AcceptedBatches } from './accepted-batches.ts'

const idOf = (number: number): string => number.toString(16).padStart(16, '0')

describe('taken batches', () => {
  test('are known per sender, the last ones, also after a restart', async () => {
    const world = simulatedWorld({ seed: 1 })
    const keyValue = await world.complete(world.machine('a').keyValues.open('/map'))
    const taken = new AcceptedBatches(keyValue)
    for (let number = 0; number < 100; number++) await world.complete(taken.remember('x', idOf(number)))
    for (const known of [taken, new AcceptedBatches(keyValue)]) {
      assert.equal(known.has('x', idOf(99)), true)
      assert.equal(known.has('x', idOf(36)), true)
      assert.equal(known.has('x', idOf(35)), false)
      assert.equal(known.has('y', idOf(99)), false)
    }
  })

  test('the sender silent for longest is forgotten', async () => {
    const world = simulatedWorld({ seed: 1 })
    const keyValue = await world.complete(world.machine('a').keyValues.open('/map'))
    const taken = new AcceptedBatches(keyValue)
    const remember = (sender: number): Promise<void> =>
      world.complete(taken.remember(`sender ${sender}`, idOf(1)))
    for (let sender = 0; sender < 1_024; sender++) await remember(sender)
    await remember(0)
    await remember(1_024)
    for (const known of [taken, new AcceptedBatches(keyValue)]) {
      assert.equal(known.has('sender 0', idOf(1)), true)
      assert.equal(known.has('sender 1', idOf(1)), false)
      assert.equal(known.has('sender 1024', idOf(1)), true)
    }
    assert.equal([...keyValue.table('taken').range()].length, 1_024)
  })
})
