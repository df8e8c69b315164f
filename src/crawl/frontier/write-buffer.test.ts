import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { type KeyValue, KeyValueError } from '../../platform/storage/key-value.ts'
import { WriteBuffer } from './write-buffer.ts'

test('reads see every change, committed or not, in order', async () => {
  const deed = fc.record({
    key: fc.integer({ min: 0, max: 30 }),
    kind: fc.constantFrom('put', 'put text', 'remove', 'remove text', 'checkpoint', 'flush', 'wait'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 80 }), async (deeds) => {
      const world = simulatedWorld({ seed: 1 })
      const { keyValues, clock } = world.machine('a')
      const keyValue = await world.complete(keyValues.open('/buffer'))
      const buffer = new WriteBuffer({ keyValue, clock }, () => {})
      const table = buffer.table('table')
      const model = new Map<number, number>()
      for (const [index, { key, kind }] of deeds.entries()) {
        if (kind === 'put') {
          table.put(Buffer.of(key), Buffer.of(index))
          model.set(key, index)
        } else if (kind === 'put text') {
          table.putText(String.fromCharCode(key), String.fromCharCode(index))
          model.set(key, index)
        } else if (kind === 'remove text') {
          table.removeText(String.fromCharCode(key))
          model.delete(key)
        } else if (kind === 'remove') {
          table.remove(Buffer.of(key))
          model.delete(key)
        } else if (kind === 'checkpoint') buffer.checkpoint()
        else if (kind === 'flush') await world.complete(buffer.flush())
        else await world.advance(60)
        assert.equal(table.get(Buffer.of(key))?.[0], model.get(key))
        assert.equal(table.getText(String.fromCharCode(key))?.charCodeAt(0), model.get(key))
        const expected = [...model].sort(([a], [b]) => a - b).filter(([at]) => at >= 5 && at < 25)
        const entries = [...table.range(Buffer.of(5), Buffer.of(25))].map(([at, value]) => [at[0], value[0]])
        assert.deepEqual(entries, expected)
        assert.equal([...table.range(Buffer.of(0), Buffer.of(40), 3)].length, Math.min(3, model.size))
      }
    }),
    { seed: 1, numRuns: 150 },
  )
})

/** A map whose transactions are counted, and fail with this error while there is one. */
async function failing(error: Error | undefined) {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock } = world.machine('a')
  const map = await world.complete(keyValues.open('/buffer'))
  const fault = { error, commits: 0 }
  const keyValue: KeyValue = {
    table: (name) => map.table(name),
    transaction: async (action) => {
      fault.commits++
      if (fault.error !== undefined) throw fault.error
      return map.transaction(action)
    },
    flush: () => map.flush(),
    sizeBytes: () => map.sizeBytes(),
    close: () => map.close(),
  }
  const buffer = new WriteBuffer({ keyValue, clock }, () => {})
  return { world, map, fault, buffer, table: buffer.table('table') }
}

test('a commit that fails is told to whoever comes next', async () => {
  const { world, buffer, table, fault } = await failing(new KeyValueError('index-failure', 'it broke'))
  table.put(Buffer.of(1), Buffer.alloc(1_000))
  await assert.rejects(world.complete(buffer.flush()), { code: 'index-failure' })
  fault.error = undefined
  assert.throws(() => buffer.checkpoint(), { code: 'index-failure' })
  await assert.rejects(buffer.room(), { code: 'index-failure' })
})

test('what there was no room for is told, and committed in order when there is room again', async () => {
  const { world, map, buffer, table, fault } = await failing(new KeyValueError('index-full', 'no room'))
  // Every key is in several groups.
  const keyOf = (value: number) => Buffer.from(String(value % 1_500))
  for (let value = 0; value < 5_000; value++) {
    table.put(keyOf(value), Buffer.from(String(value)))
    buffer.checkpoint()
  }
  await assert.rejects(world.complete(buffer.room()), { code: 'index-full' })
  await assert.rejects(world.complete(buffer.flush()), { code: 'index-full' })
  assert.equal(String(table.get(keyOf(4_999))), '4999')
  fault.error = undefined
  // Nobody has to come by.
  buffer.checkpoint()
  await world.advance(2_000)
  assert.equal(Buffer.from(map.table('table').get(keyOf(4_999))!).toString(), '4999')
  await world.complete(buffer.room())
})

test('what is changed again and again is one entry of a commit, and written once', async () => {
  const { world, buffer, table, fault } = await failing(undefined)
  for (let value = 0; value < 5_000; value++) {
    table.put(Buffer.of(1, value % 7), Buffer.from(String(value)))
    buffer.checkpoint()
  }
  await world.complete(buffer.flush())
  assert.equal(fault.commits, 1)
  assert.equal(Buffer.from(table.get(Buffer.of(1, 4_999 % 7))!).toString(), '4999')
})

test('text is written a byte a character, however long', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/buffer'))
  const buffer = new WriteBuffer({ keyValue, clock }, () => {})
  const table = buffer.table('table')
  const text = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte)).repeat(40)
  table.putText('k\xff', text)
  table.putText('l', 'short')
  await world.complete(buffer.flush())
  assert.equal(table.getText('k\xff'), text)
  assert.equal(table.getText('l'), 'short')
  assert.deepEqual(Buffer.from(table.get(Buffer.from('k\xff', 'latin1'))!), Buffer.from(text, 'latin1'))
})
