import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { Calls } from '../calls/calls.ts'
import type { SimulatedMachine } from './machine.ts'
import { stormy } from './network.ts'
import { type SimulatedWorld, simulatedWorld } from './world.ts'

const nameTable = ['a', 'b', 'c', 'd', 'e']

/** A small program: writes what it is told to disk and index, and tells others. */
async function live(machine: SimulatedMachine, log: string[]): Promise<void> {
  // Taken once, as a real program would: after a crash these are dead.
  const { clock, random, disk, keyValues, network, name } = machine
  for (const other of nameTable) if (other !== name) network.learn(other, [`/simulated/${other}`])
  const calls = new Calls({ clock, random, network })
  await disk.makeFolder('/data')
  await disk.syncFolder('/')
  const map = await keyValues.open('/index')
  const table = map.table('told')
  calls.answer(async (from, bytes) => {
    await map.transaction(() => table.put(bytes.subarray(0, 16), new TextEncoder().encode(from)))
    await map.flush()
    return bytes
  })
  for (;;) {
    try {
      await clock.sleep(random.below(50))
      const told = random.bytes(2_000)
      const file = await disk.open(`/data/${random.uuid()}`, 'create')
      await file.write(0, told.subarray(0, 700), told)
      await file.sync()
      await disk.syncFolder('/data')
      await file.close()
      const others = nameTable.filter((other) => other !== name)
      const other = others[random.below(others.length)]!
      const answer = await calls.call(other, told, { deadlineMs: 300 })
      log.push(`${clock.nowMs()} ${name} told ${other} ${answer.length}`)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      log.push(`${clock.nowMs()} ${name} ${error.code}`)
    }
  }
}

async function run(seed: number, keepTrace = false): Promise<{ world: SimulatedWorld; log: string[] }> {
  const world = simulatedWorld({ seed, keepTrace, link: stormy })
  const log: string[] = []
  for (const name of nameTable) void live(world.machine(name), log)
  world.machine('b').faults.clock.jump(-60_000)
  for (let round = 0; round < 20; round++) {
    world.network.cut([nameTable[world.random.below(5)]!], [nameTable[world.random.below(5)]!])
    const down = world.crashRandom(world.random.below(3))
    world.machine('c').faults.disk.failWhen({ operation: 'sync', probability: 0.2, times: 3 })
    await world.advance(500)
    if (world.random.chance(0.5)) world.network.heal()
    for (const machine of down) {
      machine.restart()
      void live(machine, log)
    }
    await world.advance(500)
  }
  return { world, log }
}

describe('the same seed', () => {
  test('gives the same events, twice; another seed gives others', async () => {
    const [first, second, other] = [await run(1, true), await run(1, true), await run(2)]
    assert(first.world.simulation.eventCount > 2_000, `${first.world.simulation.eventCount}`)
    for (const code of ['call-timed-out', 'peer-unreachable', 'disk-failure', 'told']) {
      assert(
        first.log.some((line) => line.includes(code)),
        `nothing of ${code}: not much of a test`,
      )
    }
    assert.deepEqual(first.world.simulation.trace.lines, second.world.simulation.trace.lines)
    assert.equal(first.world.simulation.trace.hash, second.world.simulation.trace.hash)
    assert.deepEqual(first.log, second.log)
    assert.notEqual(first.world.simulation.trace.hash, other.world.simulation.trace.hash)
    assert.notDeepEqual(first.log, other.log)
  })

  test('gives the same, however busy the real machine is', async () => {
    const calm = await run(3)
    const interval = setInterval(() => {}, 0)
    const [busy] = await Promise.all([run(3), run(4), run(5)])
    clearInterval(interval)
    assert.equal(busy.world.simulation.trace.hash, calm.world.simulation.trace.hash)
  })
})

describe('a machine', () => {
  test('has a world of its own, with a name', async () => {
    const world = simulatedWorld({ seed: 1 })
    const [a, b] = [world.machine('a'), world.machine('b')]
    assert.equal(world.machine('a'), a)
    await world.complete(a.disk.makeFolder('/only/a'))
    assert.equal(await world.complete(b.disk.stat('/only')), undefined)
    assert.equal(a.network.self, 'a')
    assert.notDeepEqual(a.random.bytes(16), b.random.bytes(16))
  })

  test('killed, keeps what it wrote; with the power cut, only what it synced; started again, is the same machine', async () => {
    const world = simulatedWorld({ seed: 2 })
    const a = world.machine('a')
    const create = async (path: string): Promise<void> => {
      await (await a.disk.open(path, 'create')).close()
    }
    await world.complete(create('/1'))
    a.kill()
    assert.equal(a.isUp, false)
    a.restart()
    assert.deepEqual(await world.complete(a.disk.list('/')), ['1'])
    await world.complete(a.disk.syncFolder('/'))
    const outcomes = new Set<number>()
    for (let round = 2; round < 30; round++) {
      await world.complete(create(`/${round}`))
      a.crash()
      a.restart()
      const names = await world.complete(a.disk.list('/'))
      assert(names.includes('1'))
      outcomes.add(names.length)
      if (names.includes(`${round}`)) await world.complete(a.disk.remove(`/${round}`))
      await world.complete(a.disk.syncFolder('/'))
    }
    assert.deepEqual([...outcomes].sort(), [1, 2])
  })

  test('that runs cannot be started', () => {
    assert.throws(() => simulatedWorld({ seed: 1 }).machine('a').restart(), assert.AssertionError)
  })

  test('does not disturb what chance gives to others', () => {
    const alone = simulatedWorld({ seed: 1 }).machine('a')
    const world = simulatedWorld({ seed: 1 })
    world.machine('b').random.bytes(100)
    assert.deepEqual(world.machine('a').random.bytes(64), alone.random.bytes(64))
  })

  test('crashRandom takes so many of those that are up', () => {
    const world = simulatedWorld({ seed: 1 })
    for (const name of nameTable) world.machine(name)
    assert.equal(world.crashRandom(2).length, 2)
    assert.equal(world.machines.filter(({ isUp }) => isUp).length, 3)
    assert.equal(world.crashRandom(9).length, 3)
  })
})
