import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { simulatedWorld } from '../../world/simulated/world.ts'
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

test('a commit that fails is told to whoever comes next', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/buffer', { sizeBytesMax: 500 }))
  const buffer = new WriteBuffer({ keyValue, clock }, () => {})
  const table = buffer.table('table')
  table.put(Buffer.of(1), Buffer.alloc(1_000))
  await assert.rejects(world.complete(buffer.flush()), { code: 'index-full' })
  assert.throws(() => buffer.checkpoint(), { code: 'index-full' })
  await assert.rejects(buffer.room(), { code: 'index-full' })
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
