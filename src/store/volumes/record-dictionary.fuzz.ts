// Properties of frames in a volume with our dictionary.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  decodeZstdFrame,
  encodeZstdFrame,
  nameDictionary,
  zstdFrameLength,
} from '../../formats/warc/compression/zstd-frame.ts'
import { recordDictionary } from './record-dictionary.ts'

/** Of every size that has a frame header of its own kind, with much in it that repeats. */
const bytes = fc
  .tuple(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), fc.nat({ max: 3_000 }))
  .map(([parts, times]) =>
    Buffer.concat(
      Array.from({ length: times + 1 }, (_, place) => parts[place % (parts.length || 1)] ?? Buffer.alloc(0)),
    ),
  )
const level = fc.integer({ min: 1, max: 9 })

const namedFrames = fc.property(bytes, level, (content, chosen) => {
  const named = nameDictionary(encodeZstdFrame(content, { level: chosen }), recordDictionary)
  assert.equal(zstdFrameLength(named), named.length)
  assert.deepEqual(decodeZstdFrame(named, 1e6, recordDictionary), content)
})

const dictionaryFrames = fc.property(bytes, level, (content, chosen) => {
  const frame = encodeZstdFrame(content, { level: chosen, dictionary: recordDictionary })
  assert.deepEqual(decodeZstdFrame(frame, 1e6, recordDictionary), content)
})

export const properties = [
  {
    name: 'a frame that only names the dictionary decodes with it to what was put in',
    property: namedFrames,
  },
  { name: 'a frame made with the dictionary decodes with it', property: dictionaryFrames },
]
