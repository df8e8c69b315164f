import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { type KeptPlaces, placesToBegin, readKeptPlaces, TakenPlaces } from './taken-places.ts'

/** A ring that lets everything happen, and what was kept. */
function opened(...indexes: number[]) {
  const kept: KeptPlaces[] = []
  const own = new Set(indexes)
  const positions = () =>
    [...own].sort((one, other) => one - other).map((index) => ({ index, status: 'member' }))
  const ring = {
    takePlace: async (index: number) => !own.has(index) && Boolean(own.add(index)),
    givePlace: (index: number) => own.size > 1 && own.delete(index),
    view: () => ({ positions: positions() }) as never,
  }
  const taken = new TakenPlaces({ ring, log: silentLog, keep: async (places) => void kept.push(places) }, 2)
  return { taken, kept }
}

describe('the places that a peer has taken', () => {
  test('are kept whenever one is taken or given up, for whatever reason', async () => {
    const { taken, kept } = opened(0, 1)
    assert.equal(await taken.take(1), false)
    assert.equal(await taken.take(9), true)
    assert.equal(taken.give(0), true)
    assert.equal(taken.giveUpPosition(), true)
    assert.equal(taken.giveUpPosition(), false)
    await taken.close()
    assert.deepEqual(
      kept.map(({ indexes }) => indexes),
      [[0, 1, 9], [1, 9], [1]],
    )
  })

  test('are those it begins with, as many more or fewer as its share has changed', () => {
    assert.equal(placesToBegin(undefined, 3), undefined)
    const kept = { positions: 2, indexes: [1, 9, 4] }
    assert.deepEqual(placesToBegin(kept, 2), [1, 4, 9])
    assert.deepEqual(placesToBegin(kept, 4), [1, 4, 9, 0, 2])
    assert.deepEqual(placesToBegin(kept, 1), [1, 4])
    assert.deepEqual(placesToBegin({ positions: 16, indexes: [3] }, 1), [3])
  })

  test.each([
    'x',
    'null',
    '{}',
    '{"positions":1,"indexes":[]}',
    '{"positions":1,"indexes":[16]}',
    '{"positions":1,"indexes":[1,1]}',
    '{"positions":0,"indexes":[1]}',
  ])('what nobody here has written is as if nothing were kept: %s', (text) => {
    assert.equal(readKeptPlaces(text), undefined)
  })

  test('are read as they were written', () => {
    const kept = { positions: 1, indexes: [0, 15] }
    assert.deepEqual(readKeptPlaces(JSON.stringify(kept)), kept)
  })
})
