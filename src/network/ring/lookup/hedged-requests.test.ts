import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { SimulatedClock } from '../../../platform/simulated/clock.ts'
import { Simulation } from '../../../platform/simulated/simulation.ts'
import { firstResult } from './hedged-requests.ts'

interface Plan {
  takesMs: number
  gives?: string
}

const patienceMs = 100

/** Asks as planned; tells when each was asked, and how it ended. */
async function run(
  plans: Plan[],
): Promise<{ startsMs: number[]; result: string | undefined; endMs: number }> {
  const simulation = new Simulation({ seed: 1 })
  const clock = new SimulatedClock({ simulation })
  const startsMs: number[] = []
  const left = [...plans]
  const result = await simulation.complete(
    firstResult(clock, () => {
      const plan = left.shift()
      if (plan === undefined) return undefined
      startsMs.push(simulation.nowMs)
      return {
        patienceMs,
        run: async () => {
          await clock.sleep(plan.takesMs)
          return plan.gives
        },
      }
    }),
  )
  return { startsMs, result, endMs: simulation.nowMs }
}

test('asks one after another while they answer in time', async () => {
  const { startsMs, result } = await run([{ takesMs: 50 }, { takesMs: 50 }, { takesMs: 50, gives: 'c' }])
  assert.deepEqual(startsMs, [0, 50, 100])
  assert.equal(result, 'c')
})

test('does not wait for one that is late: the next may be quicker', async () => {
  const { startsMs, result, endMs } = await run([
    { takesMs: 500, gives: 'a' },
    { takesMs: 50, gives: 'b' },
  ])
  assert.deepEqual(startsMs, [0, 100])
  assert.deepEqual([result, endMs], ['b', 150])
})

test('takes what comes late when nothing better came', async () => {
  assert.equal((await run([{ takesMs: 500, gives: 'a' }, { takesMs: 50 }])).result, 'a')
})

test('asks no more than three at once, and one after another again when some have ended', async () => {
  const { startsMs, result, endMs } = await run(Array.from({ length: 4 }, () => ({ takesMs: 1_000 })))
  assert.deepEqual(startsMs, [0, 100, 200, 1_200])
  assert.deepEqual([result, endMs], [undefined, 2_200])
})

test('ends when there is nobody to ask', async () => {
  assert.equal((await run([])).result, undefined)
})

test('a failure of another kind ends it', async () => {
  const clock = new SimulatedClock({ simulation: new Simulation({ seed: 1 }) })
  const ask = { patienceMs, run: () => Promise.reject(new Error('broken')) }
  await expect(firstResult(clock, () => ask)).rejects.toThrow('broken')
})
