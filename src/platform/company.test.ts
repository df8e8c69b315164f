import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Company } from './company.ts'
import { simulatedWorld } from './simulated/world.ts'

function setting() {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const startMs = clock.monotonicMs()
  const company = new Company({ clock }, { everyMs: 100, enough: 3 })
  const goneAtMs: number[] = []
  const join = () => void company.joined().then(() => goneAtMs.push(clock.monotonicMs() - startMs))
  return { world, goneAtMs, join }
}

test('the first goes at once, those who come soon after it go together', async () => {
  const { world, goneAtMs, join } = setting()
  join()
  await world.advance(10)
  join()
  await world.advance(20)
  join()
  await world.advance(500)
  join()
  await world.advance(0)
  assert.deepEqual(goneAtMs, [0, 100, 100, 530])
})

test('enough go at once, and the next ones wait from then on', async () => {
  const { world, goneAtMs, join } = setting()
  join()
  await world.advance(10)
  for (let count = 0; count < 4; count++) join()
  await world.advance(500)
  assert.deepEqual(goneAtMs, [0, 10, 10, 10, 110])
})
