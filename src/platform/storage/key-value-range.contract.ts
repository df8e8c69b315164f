// What ranges of every ordered map must do.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { keysOf, putAll, text, type WithMap } from '../fixtures/key-value-words.ts'

export function rangeContract(withMap: WithMap): void {
  test('bytewise order', () =>
    withMap(async (map, table) => {
      const keys = [
        [0],
        [0, 0],
        [0, 1],
        [1],
        [1, 255],
        [2],
        [127],
        [128],
        [200, 1],
        [255],
        [255, 0],
        [255, 255],
      ]
      const shuffled = keys.toSorted(
        (a, b) => ((a.at(-1)! * 7 + a.length) % 5) - ((b.at(-1)! * 7 + b.length) % 5),
      )
      await map.transaction(() => {
        for (const key of shuffled) table.put(new Uint8Array(key), new Uint8Array(key))
      })
      assert.deepEqual(
        [...table.range()].map(([key]) => [...key]),
        keys,
      )
      assert.deepEqual(
        [...table.range({ reverse: true })].map(([key]) => [...key]),
        keys.toReversed(),
      )
    }))

  test('from is included, to is not, in both directions', () =>
    withMap(async (map, table) => {
      await putAll(map, table, 'bdfh')
      const cases: [string | undefined, string | undefined, string][] = [
        [undefined, undefined, 'bdfh'],
        ['b', 'h', 'bdf'],
        ['d', undefined, 'dfh'],
        [undefined, 'f', 'bd'],
        ['a', 'z', 'bdfh'],
        ['c', 'g', 'df'],
        ['d', 'd', ''],
        ['g', 'c', ''],
        ['h', undefined, 'h'],
        ['i', undefined, ''],
        [undefined, 'b', ''],
      ]
      for (const [from, to, expected] of cases) {
        const range = { ...(from && { from: text(from) }), ...(to && { to: text(to) }) }
        assert.equal(keysOf(table, range).join(''), expected, `${from} to ${to}`)
        const reversed = [...expected].reverse().join('')
        assert.equal(
          keysOf(table, { ...range, reverse: true }).join(''),
          reversed,
          `${from} to ${to} backwards`,
        )
      }
    }))

  test('limit takes the first so many in the direction asked for', () =>
    withMap(async (map, table) => {
      await putAll(map, table, 'abcdef')
      assert.deepEqual(keysOf(table, { limit: 2 }), ['a', 'b'])
      assert.deepEqual(keysOf(table, { limit: 2, reverse: true }), ['f', 'e'])
      assert.deepEqual(keysOf(table, { limit: 0 }), [])
      assert.deepEqual(keysOf(table, { limit: 99, from: text('e') }), ['e', 'f'])
    }))

  test('an empty table has no entries', () =>
    withMap(async (_map, table) => {
      assert.deepEqual([...table.range()], [])
      assert.deepEqual([...table.range({ reverse: true, to: text('x'), from: text('a') })], [])
    }))

  test('entries are those at the beginning, whatever is committed meanwhile', () =>
    withMap(async (map, table) => {
      const keys = Array.from({ length: 1_000 }, (_, index) => `${1_000 + index}`)
      await putAll(map, table, keys)
      const iterator = table.range()[Symbol.iterator]()
      const seen = [iterator.next().value]
      await map.transaction(() => {
        for (const key of keys.slice(300, 600)) table.remove(text(key))
        table.put(text('1500x'), text('new'))
        table.put(text('1999'), text('changed'))
      })
      for (let next = iterator.next(); !next.done; next = iterator.next()) seen.push(next.value)
      assert.deepEqual(
        seen,
        keys.map((key) => [text(key), text(`value of ${key}`)]),
      )
      assert.equal(keysOf(table).length, 701)
    }))

  test('a range can be iterated again, and given up half-way', () =>
    withMap(async (map, table) => {
      await putAll(map, table, 'abc')
      const range = table.range()
      for (const [key] of range) {
        assert.deepEqual(key, text('a'))
        break
      }
      await putAll(map, table, 'd')
      assert.equal([...range].length, 4)
    }))

  test('inside a transaction it sees the transaction’s own changes, and entries passed may be removed', () =>
    withMap(async (map, table) => {
      const keys = Array.from({ length: 500 }, (_, index) => `${1_000 + index}`)
      await putAll(map, table, keys)
      const found = await map.transaction(() => {
        table.put(text('0'), text('first'))
        const passed: string[] = []
        for (const [key] of table.range({ to: text('1400') })) {
          passed.push(new TextDecoder().decode(key))
          table.remove(key)
        }
        return passed
      })
      assert.deepEqual(found, ['0', ...keys.slice(0, 400)])
      assert.deepEqual(keysOf(table, { reverse: true }), keys.slice(400).reverse())
      const limited = await map.transaction(() => keysOf(table, { limit: 90, reverse: true }))
      assert.deepEqual(limited, keys.slice(410).reverse())
    }))

  test('an iteration must not outlive its transaction', () =>
    withMap(async (map, table) => {
      await putAll(
        map,
        table,
        Array.from({ length: 500 }, (_, index) => `${index}`),
      )
      const iterator = await map.transaction(() => {
        const entries = table.range()[Symbol.iterator]()
        entries.next()
        return entries
      })
      assert.throws(() => {
        while (!iterator.next().done);
      }, assert.AssertionError)
    }))
}
