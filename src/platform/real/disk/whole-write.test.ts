import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { writeWhole } from './whole-write.ts'

test('all bytes are written in their place, however few are taken at a time', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 9 })
  const takes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(chunks, takes, async (given, sizes) => {
      const written: number[] = []
      let call = 0
      const isWhole = await writeWhole(
        async (position, rest) => {
          assert.equal(position, 7 + written.length)
          assert(rest.every((chunk) => chunk.length > 0))
          const part = Buffer.concat(rest).subarray(0, sizes[call++ % sizes.length]!)
          written.push(...part)
          return part.length
        },
        7,
        given,
      )
      assert(isWhole)
      assert.deepEqual(new Uint8Array(written), new Uint8Array(Buffer.concat(given)))
    }),
    { seed: 1 },
  )
})

test('it says so when nothing more is taken', async () => {
  let room = 3
  const isWhole = await writeWhole(async () => (room-- > 0 ? 1 : 0), 0, [
    new Uint8Array(2),
    new Uint8Array(2),
  ])
  assert.equal(isWhole, false)
})
