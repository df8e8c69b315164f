// What transactions of every ordered map must do.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { keysOf, putAll, somewhere, text, type WithMap } from '../fixtures/key-value-words.ts'
import { DiskError } from './disk.ts'

export function transactionContract(withMap: WithMap): void {
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
