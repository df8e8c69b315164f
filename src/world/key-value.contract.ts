// What every ordered map must do. What survives a power cut only a simulated one can be asked (simulated/), what
// survives the end of its process only a real one (real/).

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { DiskError } from './disk.ts'
import {
  type KeyValue,
  KeyValueError,
  type KeyValues,
  keyBytesMax,
  type Range,
  type Table,
} from './key-value.ts'

export const text = (string: string): Uint8Array => new TextEncoder().encode(string)

/** A body gets maps, and a folder that has none yet. */
export type WithKeyValues = (body: (maps: KeyValues, folder: string) => Promise<void>) => Promise<void>

type Body = (map: KeyValue, table: Table) => Promise<void>

export function keyValueContract(withMaps: WithKeyValues): void {
  const withMap = (body: Body): Promise<void> =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder)
      await body(map, map.table('table'))
      await map.close()
    })
  describe('table', () => tableContract(withMap))
  describe('range', () => rangeContract(withMap))
  describe('transaction', () => transactionContract(withMap))
  describe('map', () => mapContract(withMaps))
}

/** A ground but for its sync. */
const somewhere = { path: '/somewhere', offset: 0, length: 1, checksum: 0 }

const keysOf = (table: Table, range?: Range): string[] =>
  [...table.range(range)].map(([key]) => new TextDecoder().decode(key))

function putAll(map: KeyValue, table: Table, keys: Iterable<string>): Promise<void> {
  return map.transaction(() => {
    for (const key of keys) table.put(text(key), text(`value of ${key}`))
  })
}

function tableContract(withMap: (body: Body) => Promise<void>): void {
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

function rangeContract(withMap: (body: Body) => Promise<void>): void {
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

function transactionContract(withMap: (body: Body) => Promise<void>): void {
  test('gives what the action gives, and lets it read its own writes', () =>
    withMap(async (map, table) => {
      const result = await map.transaction(() => {
        table.put(text('a'), text('1'))
        const first = table.get(text('a'))
        table.remove(text('a'))
        const second = table.get(text('a'))
        table.put(text('b'), text('2'))
        return { first, second, keys: keysOf(table) }
      })
      assert.deepEqual(result, { first: text('1'), second: undefined, keys: ['b'] })
    }))

  test('is seen by readers when it resolves, and not in part before', () =>
    withMap(async (map, table) => {
      const seen = new Set<number>()
      const look = (): void => void seen.add(keysOf(table).length)
      const transactions = Array.from({ length: 20 }, async (_, round) => {
        const transaction = putAll(
          map,
          table,
          Array.from({ length: 10 }, (_, index) => `${round}-${index}`),
        )
        look()
        await transaction
        look()
        assert.notEqual(table.get(text(`${round}-9`)), undefined)
      })
      await Promise.all(transactions)
      for (const count of seen) assert.equal(count % 10, 0)
    }))

  test('happens not at all when its action throws; others beside it do', () =>
    withMap(async (map, table) => {
      await putAll(map, table, ['kept', 'changed', 'removed'])
      const mistake = new Error('mistake')
      const results = await Promise.allSettled([
        putAll(map, table, ['before']),
        map.transaction(() => {
          table.put(text('new'), text('new'))
          table.put(text('changed'), text('new'))
          table.put(text('changed'), text('newer'))
          table.remove(text('removed'))
          table.put(text('removed'), text('new'))
          table.remove(text('before'))
          throw mistake
        }),
        putAll(map, table, ['after']),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal((results[1] as PromiseRejectedResult).reason, mistake)
      assert.deepEqual(keysOf(table), ['after', 'before', 'changed', 'kept', 'removed'])
      for (const [key, value] of table.range()) {
        assert.equal(new TextDecoder().decode(value), `value of ${new TextDecoder().decode(key)}`)
      }
    }))

  test('syncs the ground that it stands on, and is not seen before', () =>
    withMap(async (map, table) => {
      let seen: Uint8Array | undefined | 'not synced' = 'not synced'
      const sync = async () => {
        seen = table.get(text('a'))
      }
      await map.transaction(() => table.put(text('a'), text('1')), { ...somewhere, sync })
      assert.equal(seen, undefined)
      assert.deepEqual(table.get(text('a')), text('1'))
    }))

  test('happens not at all when its ground is lost; others beside it do', () =>
    withMap(async (map, table) => {
      // One before: the first of all may be written in another way.
      await map.transaction(() => table.put(text('0'), text('0')))
      const failure = new DiskError('disk-failure', somewhere.path, 'Lost, as told.')
      const change = (key: string, sync: () => Promise<void>) =>
        map.transaction(() => table.put(text(key), text(key)), { ...somewhere, sync })
      const outcomes = await Promise.allSettled([
        change('a', async () => {}),
        change('b', () => Promise.reject(failure)),
        change('c', async () => {}),
        map.transaction(() => table.put(text('d'), text('d'))),
      ])
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'done')),
        ['done', failure, 'done', 'done'],
      )
      assert.deepEqual(keysOf(table), ['0', 'a', 'c', 'd'])
      await map.flush()
    }))

  test('transactions run one after the other in the order of calls', () =>
    withMap(async (map, table) => {
      const order: number[] = []
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          map.transaction(() => {
            const count = table.get(text('count'))?.[0] ?? 0
            table.put(text('count'), new Uint8Array([count + 1]))
            order.push(index)
          }),
        ),
      )
      assert.deepEqual(table.get(text('count')), new Uint8Array([100]))
      assert.deepEqual(
        order,
        Array.from({ length: 100 }, (_, index) => index),
      )
    }))

  test('does not begin before transaction() has returned', () =>
    withMap(async (map) => {
      let began = false
      const transaction = map.transaction(() => {
        began = true
      })
      assert.equal(began, false)
      await transaction
      assert.equal(began, true)
    }))

  test('waiting, nesting and new tables inside one are mistakes, and leave the map in order', () =>
    withMap(async (map, table) => {
      let nested: Promise<unknown> | undefined
      const mistakes: (() => unknown)[] = [
        async () => table.put(text('a'), text('1')),
        () => {
          table.put(text('a'), text('1'))
          map.table('unheard of')
        },
      ]
      for (const mistake of mistakes) await assert.rejects(map.transaction(mistake), assert.AssertionError)
      await map.transaction(() => {
        nested = map.transaction(() => table.put(text('a'), text('1')))
        nested.catch(() => {})
      })
      await assert.rejects(nested!, assert.AssertionError)
      assert.deepEqual(keysOf(table), [])
      await putAll(map, table, ['b'])
      assert.deepEqual(keysOf(table), ['b'])
    }))
}

function mapContract(withMaps: WithKeyValues): void {
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
