import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PlaceWorld, type PlaceWorldOptions } from './fixtures/place-world.ts'
import { placesMin } from './place-plan.ts'
import { placeTermsDefault } from './place-terms.ts'

const equal = (count: number): number[] => Array<number>(count).fill(1)
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `peer-${at}`)

async function afterHours(hours: number, options: PlaceWorldOptions): Promise<PlaceWorld> {
  const world = new PlaceWorld(options)
  await world.advance(hours)
  return world
}

describe('even places', () => {
  test('five peers come to keep as much each within hours, and then nothing moves any more', async () => {
    const world = new PlaceWorld({ seed: 2, weights: equal(5) })
    assert(world.unevenness() > 1.5)
    await world.advance(6)
    assert(world.unevenness() <= 1.25, `${world.unevenness()}`)
    const { length } = world.steps
    await world.advance(12)
    assert.equal(world.steps.length, length)
    await world.close()
  })

  test('a place is given up only when those who will keep what it stands for have shown that they have it', async () => {
    const weights = [4, 4, 4, 4]
    const options = { seed: 2, weights, terms: { lookMs: 120_000, calmMs: 60_000, stepEveryMs: 60_000 } }
    const gives = (world: PlaceWorld) => world.steps.filter(({ kind }) => kind === 'give')
    const honest = await afterHours(1, options)
    assert(gives(honest).length > 0 && honest.shown > 0, 'nothing was given up: another seed is needed')
    const stuck = await afterHours(1, { ...options, stuck: gives(honest).map(({ peer }) => peer) })
    assert(stuck.shown > 0)
    assert.deepEqual(gives(stuck), [])
    await honest.close()
    await stuck.close()
  })

  test('liars that say they are empty take no more than half of what anybody gives, and few steps a day', async () => {
    const weights = [4, 4, 4, 1, 1, 1, 1]
    const lies = new Map(
      names(7)
        .slice(3)
        .map((liar) => [liar, (answer: object) => ({ ...answer, kept: 0, isSettled: true }) as never]),
    )
    const world = await afterHours(24, { seed: 5, weights, lies })
    for (const peer of names(3)) {
      assert(world.indexesOf(peer).length >= placesMin(4), `${peer} has ${world.indexesOf(peer)}`)
      const steps = world.steps.filter((step) => step.peer === peer)
      assert(steps.length <= placeTermsDefault.stepsPerDayMax, JSON.stringify(steps))
    }
    await world.close()
  })

  test('liars that say now that they are empty and now that they are full move no place to and fro', async () => {
    let count = 0
    const lie = (answer: object) =>
      ({ ...answer, kept: ++count % 60 < 30 ? 0 : 2 ** 45, weight: 16, isSettled: true }) as never
    const liars = names(8).slice(3)
    const world = await afterHours(6, {
      ...{ seed: 6, weights: [...Array<number>(3).fill(4), ...equal(5)] },
      terms: { lookMs: 60_000, calmMs: 30_000, stepEveryMs: 60_000 },
      lies: new Map(liars.map((liar) => [liar, lie])),
    })
    const moved = world.steps.map(({ peer, index }) => `${peer} ${index}`)
    assert(moved.length > 3, 'the liars move nobody: another seed is needed')
    assert.equal(new Set(moved).size, moved.length, `moved again within a day: ${moved}`)
    for (const peer of names(3)) {
      assert(world.indexesOf(peer).length >= placesMin(4))
      const steps = moved.filter((name) => name.startsWith(peer))
      assert(steps.length <= placeTermsDefault.stepsPerDayMax, `${moved}`)
    }
    await world.close()
  })

  test('earlier versions, which know no such question, are left out; who does not rest holds up what concerns it', async () => {
    const earlier = await afterHours(6, {
      seed: 2,
      weights: equal(5),
      lies: new Map([['peer-4', () => undefined]]),
    })
    assert(earlier.steps.length > 0)
    assert(earlier.steps.every(({ peer }) => peer !== 'peer-4'))
    const restless = (answer: object) => ({ ...answer, isSettled: false }) as never
    const lies = new Map(names(5).map((name) => [name, restless]))
    // Only who would do something.
    const { peer: first } = earlier.steps[0]!
    lies.delete(first)
    const held = await afterHours(6, { seed: 2, weights: equal(5), lies })
    assert.deepEqual(held.steps, [])
    await earlier.close()
    await held.close()
  })

  test('while little is kept nothing is moved', async () => {
    const world = await afterHours(3, { seed: 2, weights: equal(5), terms: { bytesMin: 1e12 } })
    assert.deepEqual(world.steps, [])
    await world.close()
  })
})
