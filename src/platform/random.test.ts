import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { randomContract } from './random.contract.ts'
import { RealRandom } from './real/random.ts'
import { SimulatedRandom } from './simulated/random.ts'

describe('real chance', () => randomContract(() => new RealRandom()))

describe('simulated chance', () => {
  randomContract(() => new SimulatedRandom(7))

  test('the same seed gives the same, another seed another', () => {
    assert.deepEqual(new SimulatedRandom(7).bytes(64), new SimulatedRandom(7).bytes(64))
    assert.notDeepEqual(new SimulatedRandom(7).bytes(64), new SimulatedRandom(8).bytes(64))
  })

  test('a fork depends on its name, not on who else draws', () => {
    const quiet = new SimulatedRandom(7)
    const busy = new SimulatedRandom(7)
    busy.bytes(1_000)
    busy.fork('other').bytes(10)
    assert.deepEqual(busy.fork('a').fork('b').bytes(64), quiet.fork('a').fork('b').bytes(64))
    assert.notDeepEqual(quiet.fork('a').bytes(64), quiet.fork('b').bytes(64))
  })
})
