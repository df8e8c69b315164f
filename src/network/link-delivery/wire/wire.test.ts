import assert from 'node:assert/strict'
import { zstdCompressSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import { simulatedCompressor } from '../../../platform/simulated/compressor.ts'
import type { LinkText } from '../forwarded-link.ts'
import { placesOf } from './answer-coding.ts'
import { noHistory } from './history.ts'
import { decodeLinks, encodeLinks } from './link-coding.ts'
import { contentIdOf, packBatch, sectionBytesMax, unpackBatch } from './packed-batch.ts'
import { properties } from './wire.fuzz.ts'

const nothing = new Uint8Array()
const linkText = (href: string): LinkText => ({ href, kind: 'navigation', jobId: 'job', depth: 1 })
const pack = (links: readonly LinkText[], history = noHistory): Promise<Uint8Array> =>
  packBatch(simulatedCompressor, encodeLinks(links), { history, wantsArc: false })

/** A batch whose figures are a frame of this content. */
function batchOf(figures: Uint8Array, text: Uint8Array = nothing): Uint8Array {
  const frame = zstdCompressSync(figures, { dictionary: Buffer.from(noHistory.figuresDictionary) }).subarray(
    4,
  )
  const textFrame = zstdCompressSync(text, { dictionary: Buffer.from(noHistory.textDictionary) }).subarray(4)
  return new MessageWriter()
    .byte(2)
    .byte(0)
    .hex(noHistory.id)
    .number(frame.length)
    .number(0)
    .fixed(frame)
    .fixed(textFrame)
    .finish()
}

describe('messages about links', () => {
  testProperties(properties, 100)

  test('what a peer was told before makes the next batch smaller', async () => {
    const [one, other] = [0, 1].map((half) =>
      Array.from({ length: 10 }, (_, index) =>
        linkText(`https://shop.example.com/summer-sale/item-${2 * index + half}`),
      ),
    )
    const sections = encodeLinks(one!)
    const told = noHistory.after(sections, contentIdOf(sections))
    assert.ok((await pack(other!, told)).length < 0.7 * (await pack(other!)).length)
  })

  test('what links share is written once', () => {
    const one = encodeLinks([linkText('http://a.example/1')])
    const links = Array.from({ length: 100 }, (_, index) => linkText(`http://a.example/${index}`))
    const hundred = encodeLinks(links)
    assert.ok(hundred.figures.length - one.figures.length <= 2 * 99 + 1)
    assert.ok(hundred.text.length <= one.text.length + 3 * 99)
  })

  test('a bomb is not unpacked', () => {
    const bomb = batchOf(new Uint8Array(100 * sectionBytesMax))
    assert.ok(bomb.length < 20_000)
    assert.throws(() => unpackBatch(bomb, () => noHistory), { code: 'exchange-too-large' })
    assert.throws(
      () => unpackBatch(batchOf(nothing, new Uint8Array(100 * sectionBytesMax)), () => noHistory),
      {
        code: 'exchange-too-large',
      },
    )
  })

  test('a count of links that were not sent takes no memory', () => {
    const figures = new MessageWriter().number(2 ** 40).finish()
    assert.throws(() => decodeLinks({ figures, text: nothing, hexes: nothing }), {
      code: 'message-malformed',
    })
  })

  test('hrefs that grow from each other without end are refused', () => {
    const count = 60_000
    const figures = new MessageWriter().number(count).number(1).text('job').number(1)
    figures.number(0).byte(1).number(1).byte(0).number(0).number(0)
    for (let index = 0; index < count; index++) figures.number(0)
    for (let index = 0; index < count; index++) figures.number(index === 0 ? 0 : 8_000)
    const text = Buffer.from(`http://a.example/${'x'.repeat(7_990)}\n${'\n'.repeat(count - 1)}`)
    assert.throws(() => decodeLinks({ figures: figures.finish(), text, hexes: nothing }), {
      code: 'exchange-too-large',
    })
  })

  test('an answer cannot refuse more than was sent', () => {
    assert.deepEqual([...placesOf([{ from: 2, count: 2 }], 5)], [2, 3])
    assert.throws(() => placesOf([{ from: 4, count: 2 }], 5), { code: 'message-malformed' })
    const often = Array.from({ length: 10 }, () => ({ from: 0, count: 5 }))
    assert.throws(() => placesOf(often, 5), { code: 'message-malformed' })
  })
})
