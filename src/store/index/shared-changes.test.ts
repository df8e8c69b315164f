import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SimulatedKeyValues } from '../../platform/simulated/key-value.ts'
import { Simulation } from '../../platform/simulated/simulation.ts'
import { SharedChanges } from './shared-changes.ts'
import { StoreIndex } from './store-index.ts'

function scene(
  body: (changes: SharedChanges, index: StoreIndex, counts: Counts) => Promise<void>,
): Promise<void> {
  const simulation = new Simulation({ seed: 1 })
  return simulation.complete(
    (async () => {
      const map = await new SimulatedKeyValues({ simulation }).mount().open('/index')
      const counts: Counts = { transactions: 0, flushes: 0 }
      const index = new StoreIndex(
        {
          table: (name) => map.table(name),
          transaction: (action) => {
            counts.transactions++
            return map.transaction(action)
          },
          flush: () => {
            counts.flushes++
            return map.flush()
          },
          sizeBytes: () => map.sizeBytes(),
          close: () => map.close(),
        },
        '/store',
      )
      await body(new SharedChanges({ index }), index, counts)
    })(),
  )
}

interface Counts {
  transactions: number
  flushes: number
}

test('callers of one moment share a commit and a flush', () =>
  scene(async (changes, index, counts) => {
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        changes.changeForGood(() => {
          index.putNote(`n${i}`, i)
          return i
        }),
      ),
    )
    assert.deepEqual(results, [...results.keys()])
    assert.equal(index.note('n99'), 99)
    assert.deepEqual(counts, { transactions: 1, flushes: 1 })
  }))

test('one that throws undoes nothing but itself', () =>
  scene(async (changes, index) => {
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) =>
        changes.changeForGood(() => {
          index.putNote(name, 1)
          if (name === 'b') throw new Error('not this one')
        }),
      ),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => index.note(name)),
      [1, undefined, 1],
    )
    await changes.changeForGood(() => index.putNote('later', 1))
    assert.equal(index.note('later'), 1)
  }))
