import assert from 'node:assert/strict'
import fc from 'fast-check'
import { refusedOrDone } from '../../record/fixtures/fuzzing.ts'
import type { RingKey } from '../../record/ring-key.ts'
import { simulatedCompressor } from '../../world/simulated/compressor.ts'
import { type LinkText, linkKinds } from '../forwarded-link.ts'
import { type BatchAnswer, decodeAnswer, encodeAnswer } from './answer-coding.ts'
import { foldDigits, unfoldDigits } from './digit-folding.ts'
import { noHistory } from './history.ts'
import { decodeLinks, encodeLinks } from './link-coding.ts'
import { contentIdOf, packBatch, unpackBatch } from './packed-batch.ts'

/** Few letters, so that links share much, and runs of digits. */
const piece = fc.oneof(
  fc.constantFrom('/', 'a', 'b', '-', '?id=', '.html'),
  fc.stringMatching(/^[0-9]{1,20}$/),
  fc.stringMatching(/^[0-9a-f]{10,60}$/),
)
const href = fc.array(piece, { maxLength: 8 }).map((pieces) => `https://example.com/${pieces.join('')}`)
const figure = fc.integer({ min: 0, max: 2 ** 31 })
const link: fc.Arbitrary<LinkText> = fc
  .record({
    href,
    kind: fc.constantFrom(...linkKinds),
    jobId: fc.constantFrom('a', 'työ 🕷', 'c'.repeat(300)),
    depth: figure,
    priority: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    requisiteHops: fc.option(figure, { nil: undefined }),
    redirects: fc.option(figure, { nil: undefined }),
  })
  .map(({ priority, requisiteHops, redirects, ...rest }) => ({
    ...rest,
    ...(priority !== undefined && { priority: priority / 100 }),
    ...(requisiteHops !== undefined && { requisiteHops }),
    ...(redirects !== undefined && { redirects }),
  }))
const links = fc.array(link, { maxLength: 40 })

const key = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as RingKey)
const name = fc.stringMatching(/^[!-~]{1,60}$/)
const owner = fc.record(
  { peer: name, upTo: key, addresses: fc.array(name, { maxLength: 8 }) },
  { noNullPrototype: true },
)
const place = fc.integer({ min: 0, max: 70_000 })
const answer: fc.Arbitrary<BatchAnswer> = fc.record(
  {
    isKnown: fc.boolean(),
    arc: fc.record(
      { after: key, upTo: key, following: fc.array(owner, { maxLength: 8 }) },
      { noNullPrototype: true },
    ),
    refused: fc.array(
      fc.record(
        { from: place, count: place, owner },
        { requiredKeys: ['from', 'count'], noNullPrototype: true },
      ),
    ),
  },
  { requiredKeys: ['isKnown', 'refused'], noNullPrototype: true },
)

const garbage = fc.uint8Array({ maxLength: 300 })
const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })

function damaged(bytes: Uint8Array, changes: readonly (readonly [number, number])[]): Uint8Array {
  const copy = Uint8Array.from(bytes)
  for (const [at, value] of changes) if (copy.length > 0) copy[at % copy.length] = value
  return copy
}

export const properties = [
  {
    name: 'links come back as they were',
    property: fc.property(links, (given) => assert.deepEqual(decodeLinks(encodeLinks(given)), given)),
  },
  {
    name: 'digits are folded and unfolded',
    property: fc.property(fc.array(href), (hrefs) => {
      const text = hrefs.join('\n')
      assert.equal(unfoldDigits(foldDigits(text)), text)
    }),
  },
  {
    name: 'a batch is packed and unpacked, with and without history',
    property: fc.asyncProperty(links, links, async (before, given) => {
      const earlier = encodeLinks(before)
      const sections = encodeLinks(given)
      for (const history of [noHistory, noHistory.after(earlier, contentIdOf(earlier))]) {
        const packed = await packBatch(simulatedCompressor, sections, { history, wantsArc: true })
        const unpacked = unpackBatch(packed, (id) => {
          assert.equal(id, history.id)
          return history
        })
        assert.deepEqual(decodeLinks(unpacked.sections), given)
        assert.equal(contentIdOf(unpacked.sections), contentIdOf(sections))
        assert.equal(unpacked.wantsArc, true)
      }
    }),
  },
  {
    name: 'answers come back as they were',
    property: fc.property(answer, (given) => assert.deepEqual(decodeAnswer(encodeAnswer(given)), given)),
  },
  {
    name: 'garbage is refused with a typed error',
    property: fc.property(garbage, garbage, garbage, (figures, text, hexes) => {
      refusedOrDone(() => decodeLinks({ figures, text, hexes }))
      refusedOrDone(() => decodeAnswer(figures))
      refusedOrDone(() => unpackBatch(figures, () => noHistory))
    }),
  },
  {
    name: 'damaged messages are refused with a typed error, or read as another message',
    property: fc.asyncProperty(links, answer, damage, async (given, answered, changes) => {
      const sections = encodeLinks(given)
      const packed = await packBatch(simulatedCompressor, sections, { history: noHistory, wantsArc: false })
      refusedOrDone(() => decodeLinks({ ...sections, figures: damaged(sections.figures, changes) }))
      refusedOrDone(() => decodeLinks({ ...sections, text: damaged(sections.text, changes) }))
      refusedOrDone(() => decodeAnswer(damaged(encodeAnswer(answered), changes)))
      refusedOrDone(() => decodeLinks(unpackBatch(damaged(packed, changes), () => noHistory).sections))
    }),
  },
]
