import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { clockContract } from './clock.contract.ts'
import { within } from './clock.ts'
import { RealClock } from './real/clock.ts'
import { ClockFaults, SimulatedClock } from './simulated/clock.ts'
import { Life } from './simulated/life.ts'
import { Simulation } from './simulated/simulation.ts'

describe('real clock', () => {
  clockContract((body) => body(new RealClock()))

  test('a long delay is not more than Node’s timers take', async () => {
    const warnings: Error[] = []
    const hear = (warning: Error): void => void warnings.push(warning)
    process.on('warning', hear)
    new RealClock().after(2 ** 31 + 5, () => {}).cancel()
    await new RealClock().sleep(1)
    process.off('warning', hear)
    assert.deepEqual(warnings, [])
  })
})

describe('simulated clock', () => {
  clockContract((body) => {
    const simulation = new Simulation({ seed: 1 })
    return simulation.complete(body(new SimulatedClock({ simulation })))
  })
})

describe('simulated clock that is wrong', () => {
  clockContract((body) => {
    const simulation = new Simulation({ seed: 1 })
    const faults = Object.assign(new ClockFaults(), { offsetMs: 90_000, rate: 1.0037 })
    return simulation.complete(body(new SimulatedClock({ simulation, faults })))
  })

  test('setting the wall clock moves nowMs alone', async () => {
    const simulation = new Simulation({ seed: 1 })
    const faults = new ClockFaults()
    const clock = new SimulatedClock({ simulation, faults })
    const before = [clock.nowMs(), clock.monotonicMs()] as const
    faults.jump(-5_000)
    assert.deepEqual([clock.nowMs(), clock.monotonicMs()], [before[0] - 5_000, before[1]])
  })

  test('a fast clock gains', async () => {
    const simulation = new Simulation({ seed: 1 })
    const right = new SimulatedClock({ simulation })
    const fast = new SimulatedClock({ simulation, faults: Object.assign(new ClockFaults(), { rate: 1.5 }) })
    const woken: string[] = []
    right.after(1_000, () => woken.push('right'))
    fast.after(1_000, () => woken.push('fast'))
    await simulation.run()
    assert.deepEqual(woken, ['fast', 'right'])
    assert.equal(fast.monotonicMs(), 1_500)
  })

  test('an aborted sleep leaves nothing behind', async () => {
    const simulation = new Simulation({ seed: 1 })
    const controller = new AbortController()
    const sleep = new SimulatedClock({ simulation }).sleep(1e9, controller.signal)
    controller.abort()
    await assert.rejects(sleep)
    assert.equal(simulation.pendingCount, 0)
  })

  test('work is waited for within a time, and then leaves nothing behind', async () => {
    const simulation = new Simulation({ seed: 1 })
    const clock = new SimulatedClock({ simulation })
    const slow = within(clock, 10, new Promise<string>((resolve) => clock.after(20, () => resolve('late'))))
    const quick = within(clock, 1e9, Promise.resolve('in time'))
    const failing = assert.rejects(within(clock, 1e9, Promise.reject(new Error('no'))), /no/)
    await simulation.run(1_000)
    await failing
    assert.deepEqual([await slow, await quick], [undefined, 'in time'])
    assert.equal(simulation.pendingCount, 0)
  })

  test('the dead do not wake', async () => {
    const simulation = new Simulation({ seed: 1 })
    const life = new Life()
    const clock = new SimulatedClock({ simulation, life })
    let woken = false
    clock.after(10, () => {
      woken = true
    })
    life.end()
    await simulation.run()
    assert.equal(woken, false)
  })
})
