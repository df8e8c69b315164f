import assert from 'node:assert/strict'
import { createGzip, createInflateRaw, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { ZlibEngine } from './zlib-engine.ts'

const text = (length: number) =>
  Buffer.from('words and words '.repeat(Math.ceil(length / 16))).subarray(0, length)

function run(engine: ZlibEngine, input: Uint8Array, roomBytes: number) {
  const output = Buffer.alloc(roomBytes)
  const took = engine.run(input, output)
  return took && { bytes: output.subarray(0, took.outputBytes), inputBytes: took.inputBytes }
}

describe('a zlib engine', () => {
  test('inflates one input after the other, and says where each ended', () => {
    const engine = new ZlibEngine(createInflateRaw)
    for (const length of [0, 1, 19_000, 300_000, 5]) {
      const deflated = deflateRawSync(text(length))
      const input = Buffer.concat([deflated, Buffer.from('what follows')])
      assert.deepEqual(run(engine, input, length + 1), { bytes: text(length), inputBytes: deflated.length })
    }
  })

  test('compresses as the one-shot functions do', () => {
    const engine = new ZlibEngine(() => createGzip({ level: 4 }))
    for (const length of [0, 1, 19_000, 5]) {
      assert.deepEqual(run(engine, text(length), 20_000)?.bytes, gzipSync(text(length), { level: 4 }))
    }
  })

  test('leaves damage and what is too large to others, and goes on', () => {
    const engine = new ZlibEngine(createInflateRaw)
    const deflated = deflateRawSync(text(19_000))
    const plain = { bytes: text(19_000), inputBytes: deflated.length }
    for (const [input, roomBytes] of [
      [deflated.subarray(0, -1), 20_000],
      [Buffer.alloc(100, 0xff), 20_000],
      [Buffer.alloc(0), 20_000],
      [deflated, 18_999],
    ] as const) {
      assert.equal(run(engine, input, roomBytes), undefined)
      assert.deepEqual(run(engine, deflated, 20_000), plain)
    }
  })
})
