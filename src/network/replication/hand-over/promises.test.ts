import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { ringKeyOf, ringKeyToBytes } from '../../../model/ring-key.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { Promises } from './promises.ts'

const keyOf = (site: string): Uint8Array =>
  Buffer.concat([ringKeyToBytes(ringKeyOf(site)), Buffer.from('capture')])

function promisesOf({ full, held = () => 'cursor' }: { full: string[]; held?: () => string | undefined }) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const flushes = { count: 0 }
  const promises = new Promises(
    {
      held: {
        roster: { cursorOf: held },
        flush: async () => void flushes.count++,
      } as never,
      places: { self: 'a', fullSet: () => full } as never,
      clock,
    },
    1_000,
  )
  return { promises, world, flushes }
}

describe('a promise', () => {
  test('is given on what is here and ours to keep, after a flush, and on nothing else', async () => {
    const { promises, flushes } = promisesOf({ full: ['a', 'b'] })
    assert.deepEqual(await promises.give([keyOf('x')]), [true])
    assert.equal(flushes.count, 1)
    assert.deepEqual(await promisesOf({ full: ['b'] }).promises.give([keyOf('x')]), [false])
    const absent = promisesOf({ full: ['a'], held: () => undefined })
    assert.deepEqual(await absent.promises.give([keyOf('x')]), [false])
  })

  test('is not given by one that is about to go, who waits until those before have been acted on', async () => {
    const { promises, world } = promisesOf({ full: ['a'] })
    await promises.give([keyOf('x')])
    let isOver = false
    const withheld = promises.withhold(new AbortController().signal).then(() => {
      isOver = true
    })
    assert.deepEqual(await promises.give([keyOf('x')]), [false])
    await world.advance(15_000)
    assert(!isOver)
    await world.complete(withheld)
    promises.resume()
    assert.deepEqual(await promises.give([keyOf('x')]), [true])
  })

  test('keeps a site for a while, and after a start all of them', async () => {
    const { promises, world } = promisesOf({ full: ['a'] })
    assert(promises.isGiven(keyOf('any')))
    await world.advance(1_000)
    assert(!promises.isGiven(keyOf('any')))
    await promises.give([keyOf('x')])
    assert(promises.isGiven(keyOf('x')))
    assert(!promises.isGiven(keyOf('any')))
    await world.advance(1_000)
    assert(!promises.isGiven(keyOf('x')))
  })
})
