import assert from 'node:assert/strict'
import { describe, onTestFinished, test } from 'vitest'
import { RealWorkers } from './real/threads/workers.ts'
import { inlineWorkers, type Workers } from './workers.ts'

const fixture = new URL('./fixtures/doubling.ts', import.meta.url)
const double = (value: number) => {
  if (value < 0) throw new Error(`${value} is negative`)
  return 2 * value
}

describe.each([
  ['threads', () => new RealWorkers<number, number>(fixture, 2)],
  ['inline', () => inlineWorkers(double)],
] as [string, () => Workers<number, number>][])('%s', (_, make) => {
  test('do each job, also those behind one that fails', async () => {
    const workers = make()
    onTestFinished(() => workers.close())
    const outcomes = await Promise.allSettled([1, -1, 3, 4, 5].map((value) => workers.run(value)))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      [2, '-1 is negative', 6, 8, 10],
    )
  })
})

describe('threads', () => {
  test('that die fail their job and are replaced', async () => {
    const workers = new RealWorkers<number, number>(fixture, 1)
    onTestFinished(() => workers.close())
    const [died, next] = await Promise.allSettled([workers.run(666), workers.run(1)])
    assert.equal(died.status, 'rejected')
    assert.deepEqual(next, { status: 'fulfilled', value: 2 })
  })

  test('started ahead of their first job do it like any other', async () => {
    const workers = new RealWorkers<number, number>(fixture, 2, 4)
    onTestFinished(() => workers.close())
    workers.start()
    const doubled = await Promise.all([1, 2, 3, 4, 5].map((value) => workers.run(value)))
    assert.deepEqual(doubled, [2, 4, 6, 8, 10])
  })

  test('answer what they have done while there is more to do', async () => {
    const workers = new RealWorkers<number, number>(fixture, 1, 32)
    const answers = Array.from({ length: 32 }, (_, value) => workers.run(value < 31 ? value : Infinity))
    assert.deepEqual(await Promise.all(answers.slice(0, 3)), [0, 2, 4])
    await workers.close()
    await Promise.allSettled(answers)
  })

  test('closed, refuse work', async () => {
    const workers = new RealWorkers<number, number>(fixture, 1)
    await workers.close()
    await assert.rejects(workers.run(1))
  })
})
