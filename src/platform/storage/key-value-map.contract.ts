// What every ordered map must do as a whole: opened, flushed, closed, filled.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { keysOf, putAll, text, type WithKeyValues } from '../fixtures/key-value-words.ts'
import { KeyValueError } from './key-value.ts'

export function mapContract(withMaps: WithKeyValues): void {
  test('what was put is there when opened again', () =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder)
      await putAll(map, map.table('a'), 'xyz')
      await putAll(map, map.table('b'), 'u')
      await map.close()
      const again = await maps.open(folder)
      assert.deepEqual(keysOf(again.table('a')), ['x', 'y', 'z'])
      assert.deepEqual(keysOf(again.table('b')), ['u'])
      await again.close()
    }))

  test('tables named beforehand are tables like others, in a new map and in one that has them', () =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder, { tables: ['a', 'b'] })
      await putAll(map, map.table('b'), 'x')
      await putAll(map, map.table('c'), 'y')
      await map.close()
      const again = await maps.open(folder, { tables: ['a', 'b', 'd'] })
      assert.deepEqual(
        ['a', 'b', 'c', 'd'].map((name) => keysOf(again.table(name))),
        [[], ['x'], ['y'], []],
      )
      await again.close()
    }))

  test('folders are apart', () =>
    withMaps(async (maps, folder) => {
      const [first, second] = [await maps.open(`${folder}/1`), await maps.open(`${folder}/2`)]
      await putAll(first, first.table('a'), 'x')
      assert.deepEqual(keysOf(second.table('a')), [])
      await first.close()
      await second.close()
    }))

  test('opening a map that is open is a mistake', () =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder)
      await assert.rejects(async () => maps.open(folder), assert.AssertionError)
      await map.close()
    }))

  test('flush resolves, for many at once, with transactions under way', () =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder)
      const table = map.table('a')
      await map.flush()
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          await putAll(map, table, [`${index}`])
          await map.flush()
        }),
      )
      assert.equal(keysOf(table).length, 50)
      await map.close()
    }))

  test('close waits for transactions under way; closing again does nothing; then the map is not to be used', () =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder)
      const table = map.table('a')
      const range = table.range()
      const transactions = [putAll(map, table, 'x'), putAll(map, table, 'y')]
      await Promise.all([map.close(), map.close(), ...transactions])
      await map.close()
      assert.throws(() => table.get(text('x')), assert.AssertionError)
      assert.throws(() => [...range], assert.AssertionError)
      await assert.rejects(putAll(map, table, 'z'), assert.AssertionError)
      const again = await maps.open(folder)
      assert.deepEqual(keysOf(again.table('a')), ['x', 'y'])
      await again.close()
    }))

  test('a full map refuses what would make it larger, and goes on', () =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder, { sizeBytesMax: 1_000_000 })
      const table = map.table('a')
      const kilobyte = new Uint8Array(1_000)
      const fill = async (prefix: string): Promise<number> => {
        for (let count = 0; count < 5_000; count += 10) {
          try {
            await map.transaction(() => {
              for (let index = 0; index < 10; index++) table.put(text(`${prefix}${count + index}`), kilobyte)
            })
          } catch (error) {
            assert(error instanceof KeyValueError)
            assert.equal(error.code, 'index-full')
            assert.equal(error.retry, 'later')
            return count
          }
        }
        assert.fail('never full')
      }
      const count = await fill('a')
      assert(count > 500 && count < 1_100, `${count}`)
      assert.equal(keysOf(table).length, count)
      await map.flush()
      // What makes it smaller may go on, and then there is room again.
      await map.transaction(() => {
        for (const [key] of table.range({ limit: count / 2 })) table.remove(key)
      })
      assert((await fill('b')) > 200)
      await map.close()
      const again = await maps.open(folder, { sizeBytesMax: 1_000_000 })
      const sameTable = again.table('a')
      await assert.rejects(
        again.transaction(() => sameTable.put(text('large'), new Uint8Array(300_000))),
        { code: 'index-full' },
      )
      await again.close()
      // With a limit below what is there, it may still become smaller.
      const tight = await maps.open(folder, { sizeBytesMax: 1_000 })
      const tightTable = tight.table('a')
      const before = keysOf(tightTable).length
      await tight.transaction(() => tightTable.remove(text('b0')))
      assert.equal(keysOf(tightTable).length, before - 1)
      await tight.close()
    }))
}
