import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { GzipEngines } from './gzip-engines.ts'

const text = (length: number) =>
  Buffer.from('a page of words and words '.repeat(Math.ceil(length / 26))).subarray(0, length)

/** In three parts, the way a record comes. */
const cut = (bytes: Uint8Array) => [
  bytes.subarray(0, 3),
  bytes.subarray(3, -2),
  bytes.subarray(3).subarray(-2),
]

describe('gzip engines', () => {
  test('give the bytes of gzipSync, however often they are used again', async () => {
    const engines = new GzipEngines()
    for (const level of [0, 1, 6, 9, 6]) {
      for (const bytes of [text(1), text(19_000), randomBytes(200_000), text(3_000_000), text(5)]) {
        assert.deepEqual(await engines.gzip([bytes], level), gzipSync(bytes, { level }))
        assert.deepEqual(await engines.gzip(cut(bytes), level), gzipSync(bytes, { level }))
      }
    }
    assert.equal(engines.count, 4)
  })

  test('serve many at once without mixing them up, however few there are', async () => {
    const engines = new GzipEngines()
    const inputs = Array.from({ length: 60 }, (_, i) =>
      Buffer.concat([Buffer.from([i]), randomBytes(40_000)]),
    )
    for (let round = 0; round < 2; round++) {
      const members = await Promise.all(inputs.map((bytes) => engines.gzip(cut(bytes), 6)))
      for (const [i, member] of members.entries()) assert.ok(gunzipSync(member).equals(inputs[i]!))
    }
    assert.equal(engines.count, 16)
  })

  test('take the empty input', async () => {
    const engines = new GzipEngines()
    for (let round = 0; round < 2; round++) {
      assert.equal(gunzipSync(await engines.gzip([new Uint8Array()], 6)).length, 0)
    }
  })
})
