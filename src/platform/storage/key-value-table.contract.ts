// What a table of every ordered map must do.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { keysOf, putAll, text, type WithMap } from '../fixtures/key-value-words.ts'
import { keyBytesMax } from './key-value.ts'

export function tableContract(withMap: WithMap): void {
  test('gives back what was put, and nothing else', () =>
    withMap(async (map, table) => {
      await map.transaction(() => {
        table.put(text('a'), text('1'))
        table.put(text('empty'), text(''))
        table.put(text('a'), text('2'))
      })
      assert.deepEqual(table.get(text('a')), text('2'))
      assert.deepEqual(table.get(text('empty')), text(''))
      assert.equal(table.get(text('b')), undefined)
    }))

  test('the same name is the same table, other names are apart', () =>
    withMap(async (map, table) => {
      const other = map.table('other')
      await map.transaction(() => {
        table.put(text('a'), text('1'))
        other.put(text('a'), text('2'))
      })
      assert.equal(map.table('table'), table)
      assert.deepEqual(map.table('table').get(text('a')), text('1'))
      assert.deepEqual(map.table('other').get(text('a')), text('2'))
    }))

  test('what is given in and out is copied', () =>
    withMap(async (map, table) => {
      const key = text('key')
      const value = text('value')
      await map.transaction(() => {
        table.put(key, value)
        key.fill(0)
        value.fill(0)
      })
      const got = table.get(text('key'))!
      assert.deepEqual(got, text('value'))
      const [entry] = table.range()
      // Other reads and writes must not show through in what was given out.
      await putAll(map, table, ['key', 'other'])
      table.get(text('other'))
      assert.deepEqual(got, text('value'))
      assert.deepEqual(entry, [text('key'), text('value')])
      table.get(text('key'))!.fill(7)
      for (const [, changed] of table.range()) changed.fill(7)
      assert.deepEqual(table.get(text('key')), text('value of key'))
    }))

  test('values may be large, and of any bytes', () =>
    withMap(async (map, table) => {
      const sizes = [1, 511, 4_095, 4_096, 32_768, 32_769, 70_000, 1_000_000]
      const bytesOf = (size: number): Uint8Array =>
        new Uint8Array(size).map((_, index) => (index * 31 + size) >> 3)
      await map.transaction(() => {
        for (const size of sizes) table.put(text(`${size}`), bytesOf(size))
      })
      const got = sizes.map((size) => table.get(text(`${size}`)))
      assert.deepEqual(got, sizes.map(bytesOf))
      for (const [key, value] of table.range()) {
        assert.deepEqual(value, bytesOf(Number(new TextDecoder().decode(key))))
      }
    }))

  test('keys are of 1 to keyBytesMax bytes', () =>
    withMap(async (map, table) => {
      const longest = new Uint8Array(keyBytesMax).fill(255)
      await map.transaction(() => table.put(longest, text('x')))
      assert.deepEqual(table.get(longest), text('x'))
      assert.deepEqual([...table.range({ from: longest })], [[longest, text('x')]])
      for (const bad of [new Uint8Array(0), new Uint8Array(keyBytesMax + 1)]) {
        assert.throws(() => table.get(bad), assert.AssertionError)
        await assert.rejects(
          map.transaction(() => table.put(bad, text('x'))),
          assert.AssertionError,
        )
      }
    }))

  test('remove says whether the key was there', () =>
    withMap(async (map, table) => {
      await putAll(map, table, ['a', 'b'])
      assert.deepEqual(await map.transaction(() => [table.remove(text('a')), table.remove(text('a'))]), [
        true,
        false,
      ])
      assert.equal(table.get(text('a')), undefined)
      assert.deepEqual(keysOf(table), ['b'])
    }))

  test('changes outside a transaction are a mistake', () =>
    withMap(async (_map, table) => {
      assert.throws(() => table.put(text('a'), text('1')), assert.AssertionError)
      assert.throws(() => table.remove(text('a')), assert.AssertionError)
    }))
}
