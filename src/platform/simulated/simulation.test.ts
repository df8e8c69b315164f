import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { EventQueue, type QueuedEvent } from './event-queue.ts'
import { Simulation } from './simulation.ts'

const sleep = (simulation: Simulation, delayMs: number): Promise<void> =>
  new Promise((resolve) => simulation.schedule(delayMs, resolve))

describe('event queue', () => {
  test('gives what was not cancelled by time, then in the order of asking', () => {
    const delays = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.boolean()), { maxLength: 3_000 })
    fc.assert(
      fc.property(delays, (asked) => {
        const queue = new EventQueue()
        const events = asked.map(([timeMs]) => queue.add(timeMs, () => {}))
        const kept = events.filter((_, index) => !asked[index]![1])
        for (const [index, event] of events.entries()) if (asked[index]![1]) queue.cancel(event)
        assert.equal(queue.size, kept.length)
        const taken: QueuedEvent[] = []
        for (let event = queue.take(); event; event = queue.take()) taken.push(event)
        const expected = kept.toSorted((a, b) => a.timeMs - b.timeMs || a.sequence - b.sequence)
        assert.deepEqual(
          taken.map(({ sequence }) => sequence),
          expected.map(({ sequence }) => sequence),
        )
        assert.equal(queue.nextMs(), undefined)
      }),
      { seed: 1 },
    )
  })

  test('cancelled events do not pile up', () => {
    const queue = new EventQueue()
    const kept = queue.add(1e9, () => {})
    for (let round = 0; round < 100_000; round++) queue.cancel(queue.add(1e6 + round, () => {}))
    assert.equal(queue.size, 1)
    assert(queue.heldCount < 3_000, `${queue.heldCount}`)
    assert.equal(queue.take(), kept)
  })
})

describe('simulation', () => {
  test('time goes from event to event, and to the moment asked for', async () => {
    const simulation = new Simulation({ seed: 1 })
    const times: number[] = []
    for (const delayMs of [5, 1, 9, 5]) simulation.schedule(delayMs, () => times.push(simulation.nowMs))
    await simulation.run(5)
    assert.deepEqual(times, [1, 5, 5])
    assert.equal(simulation.nowMs, 5)
    await simulation.advance(2)
    assert.equal(simulation.nowMs, 7)
    await simulation.run()
    assert.deepEqual(times, [1, 5, 5, 9])
    assert.equal(simulation.pendingCount, 0)
  })

  test('everything that an event set going settles before the next, however deep', async () => {
    const simulation = new Simulation({ seed: 1 })
    const log: string[] = []
    const deep = async (depth: number): Promise<void> => {
      if (depth > 0) await deep(depth - 1)
      await Promise.all([null, Promise.resolve()])
    }
    simulation.schedule(1, () => void deep(500).then(() => log.push('settled')))
    simulation.schedule(1, () => log.push('next'))
    await simulation.run()
    assert.deepEqual(log, ['settled', 'next'])
  })

  test('complete gives what the promise gives, and runs no further', async () => {
    const simulation = new Simulation({ seed: 1 })
    simulation.schedule(100, () => assert.fail('too far'))
    const work = async (): Promise<string> => {
      await sleep(simulation, 3)
      await sleep(simulation, 4)
      return 'done'
    }
    assert.equal(await simulation.complete(work()), 'done')
    assert.equal(simulation.nowMs, 7)
    const failing = sleep(simulation, 1).then(() => Promise.reject(new Error('failed')))
    await assert.rejects(simulation.complete(failing), /failed/)
  })

  test('waiting for what cannot come fails, and names the seed', async () => {
    const simulation = new Simulation({ seed: 'some seed' })
    await assert.rejects(simulation.complete(new Promise(() => {})), /some seed/)
  })

  test('a task that throws ends the run with its error', async () => {
    const simulation = new Simulation({ seed: 1 })
    simulation.schedule(1, () => assert.fail('broken'))
    await assert.rejects(simulation.run(), /broken/)
  })

  test('a long run lets the real event loop have its turn', async () => {
    const simulation = new Simulation({ seed: 1 })
    let hadTurn = false
    setImmediate(() => {
      hadTurn = true
    })
    let left = 200_000
    const again = (): void => {
      if (left-- > 0) simulation.schedule(1, again)
    }
    again()
    await simulation.run(100_000)
    assert(hadTurn)
  })

  test('the trace tells apart what happened, when, and in which order', async () => {
    const hashOf = async (...notes: [number, string][]): Promise<string> => {
      const simulation = new Simulation({ seed: 1 })
      for (const [delayMs, what] of notes) simulation.schedule(delayMs, () => simulation.note('a', what, 1))
      await simulation.run()
      return simulation.trace.hash
    }
    const hashes = await Promise.all([
      hashOf([1, 'x'], [2, 'y']),
      hashOf([2, 'x'], [1, 'y']),
      hashOf([1, 'x'], [3, 'y']),
      hashOf([1, 'x'], [2, 'z']),
      hashOf([1, 'x']),
    ])
    assert.equal(new Set(hashes).size, 5)
    assert.equal(await hashOf([1, 'x'], [2, 'y']), hashes[0])
  })

  test('lines are kept when asked for', async () => {
    const simulation = new Simulation({ seed: 1, keepTrace: true })
    simulation.schedule(1.5, () => simulation.note('a', 'write', '/file'))
    await simulation.run()
    assert.deepEqual(simulation.trace.lines, ['1.500 a write /file'])
  })
})
