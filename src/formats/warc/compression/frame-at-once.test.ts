import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { frameAtOnce } from './frame-at-once.ts'
import { decodeDictionaryFrame, encodeZstdFrame, skippableFrameLength } from './zstd-frame.ts'

const lengthMax = 1024 * 1024
const text = (length: number) => Buffer.alloc(length, 'words and words ')

function trainedDictionary(): Buffer {
  const file = readFileSync(join(import.meta.dirname, '../fixtures/zstd-dictionary.warc.zst'))
  return decodeDictionaryFrame(file.subarray(0, skippableFrameLength(file)))
}

describe('a zstd frame at once', () => {
  test('is what was compressed, whatever was decoded before, with a dictionary and without', () => {
    const dictionaries = [undefined, trainedDictionary(), undefined]
    for (const dictionary of dictionaries) {
      for (const length of [1, 200, 256, 19_000, 66_000, 200_000, 3]) {
        for (const bytes of [text(length), randomBytes(length)]) {
          const frame = encodeZstdFrame(bytes, { dictionary })
          assert.deepEqual(frameAtOnce(frame, lengthMax, dictionary), bytes)
        }
      }
    }
  })

  test('is left to others when it is damaged, and the next one is not the worse for it', () => {
    const dictionary = trainedDictionary()
    for (const known of [undefined, dictionary]) {
      const good = encodeZstdFrame(text(19_000), { dictionary: known })
      for (let at = 4; at < good.length; at++) {
        const bad = Buffer.from(good)
        bad[at]! ^= 0x10
        const decoded = frameAtOnce(bad, lengthMax, known)
        assert.ok(decoded === undefined || decoded.equals(text(19_000)), `byte ${at}`)
        assert.equal(frameAtOnce(good.subarray(0, at), lengthMax, known), undefined)
        assert.deepEqual(frameAtOnce(good, lengthMax, known), text(19_000))
      }
    }
  })

  test('is left to others when it is too large, or its dictionary one of many', () => {
    assert.equal(frameAtOnce(encodeZstdFrame(text(19_000)), 18_999), undefined)
    assert.equal(frameAtOnce(encodeZstdFrame(text(300_000)), lengthMax), undefined)
    const version = text(5_000)
    const delta = encodeZstdFrame(text(5_100), { dictionary: version })
    assert.equal(frameAtOnce(delta, lengthMax, version), undefined)
  })
})
