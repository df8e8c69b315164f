import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { KeyValue, Table } from '../storage/key-value.ts'
import { SimulatedKeyValues } from './key-value.ts'
import { Life } from './life.ts'
import { Simulation } from './simulation.ts'

const key = new Uint8Array([1])

/** Puts the next number at two places, so that half a transaction would show. */
function count(map: KeyValue, [one, other]: [Table, Table], number: number): Promise<void> {
  return map.transaction(() => {
    one.put(key, new Uint8Array([number]))
    other.put(key, new Uint8Array([number]))
  })
}

async function countAndCrash(seed: number, committed: number, flushedAt: number): Promise<number> {
  const simulation = new Simulation({ seed })
  const maps = new SimulatedKeyValues({ simulation })
  const work = async (): Promise<number> => {
    const map = await maps.mount().open('/index')
    const tables: [Table, Table] = [map.table('one'), map.table('other')]
    for (let number = 1; number <= committed; number++) {
      await count(map, tables, number)
      if (number === flushedAt) await map.flush()
    }
    maps.crash()
    const after = await maps.mount().open('/index')
    const [one, other] = [after.table('one').get(key)?.[0] ?? 0, after.table('other').get(key)?.[0] ?? 0]
    assert.equal(one, other)
    return one
  }
  return simulation.complete(work())
}

test('after a power cut the state is that after some transaction, not older than the last flush', async () => {
  const outcomes = new Set<number>()
  for (let seed = 0; seed < 100; seed++) outcomes.add(await countAndCrash(seed, 6, 3))
  assert.deepEqual([...outcomes].sort(), [3, 4, 5, 6])
})

test('without a flush anything may be lost', async () => {
  const outcomes = new Set<number>()
  for (let seed = 0; seed < 100; seed++) outcomes.add(await countAndCrash(seed, 2, 99))
  assert.deepEqual([...outcomes].sort(), [0, 1, 2])
})

test('what is committed while a flush runs need not be in it', async () => {
  const outcomes = new Set<number>()
  for (let seed = 0; seed < 100; seed++) {
    const simulation = new Simulation({ seed })
    const maps = new SimulatedKeyValues({ simulation })
    const work = async (): Promise<void> => {
      const map = await maps.mount().open('/index')
      const tables: [Table, Table] = [map.table('one'), map.table('other')]
      await count(map, tables, 1)
      const flush = map.flush()
      await count(map, tables, 2)
      await flush
      maps.crash()
      const after = await maps.mount().open('/index')
      outcomes.add(after.table('one').get(key)![0]!)
    }
    await simulation.complete(work())
  }
  assert.deepEqual([...outcomes].sort(), [1, 2])
})

test('what was mounted before a power cut is dead', async () => {
  const simulation = new Simulation({ seed: 1 })
  const maps = new SimulatedKeyValues({ simulation })
  const map = await simulation.complete(maps.mount().open('/index'))
  const tables: [Table, Table] = [map.table('one'), map.table('other')]
  maps.crash()
  let heard = false
  for (const operation of [count(map, tables, 1), map.flush()]) {
    void operation.then(() => {
      heard = true
    })
  }
  await simulation.run()
  assert.equal(heard, false)
  const after = await simulation.complete(maps.mount().open('/index'))
  assert.equal(after.table('one').get(key), undefined)
})

test('a process that ends loses nothing that it has committed, and its map can be opened again', async () => {
  const simulation = new Simulation({ seed: 1 })
  const maps = new SimulatedKeyValues({ simulation })
  const life = new Life()
  const map = await simulation.complete(maps.mount(life).open('/index'))
  await simulation.complete(count(map, [map.table('one'), map.table('other')], 1))
  life.end()
  const after = await simulation.complete(maps.mount().open('/index'))
  assert.deepEqual(after.table('one').get(key), new Uint8Array([1]))
})

test('a damaged map cannot be opened', async () => {
  const simulation = new Simulation({ seed: 1 })
  const maps = new SimulatedKeyValues({ simulation })
  maps.damage('/index')
  await assert.rejects(simulation.complete(maps.mount().open('/index')), {
    code: 'index-damaged',
    retry: 'never',
  })
})
