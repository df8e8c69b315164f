import assert from 'node:assert/strict'
import fc from 'fast-check'
import { MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { plainRecord, refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import type { LinkMention } from '../../../model/page-link.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { simulatedCompressor } from '../../../platform/simulated/compressor.ts'
import { bombOf, hostile, href, isWellFormed, sectionsOf, windowLogs } from '../fixtures/hostile-batch.ts'
import { type LinkText, linkKinds } from '../forwarded-link.ts'
import { type BatchAnswer, batchAnswer } from './answer-coding.ts'
import { foldDigits, unfoldDigits } from './digit-folding.ts'
import { noHistory } from './history.ts'
import { decodeLinks, encodeLinks } from './link-coding.ts'
import { decodeMentions } from './mention-coding.ts'
import { contentIdOf, packBatch, sectionBytesMax, unpackBatch } from './packed-batch.ts'

const figure = fc.integer({ min: 0, max: 2 ** 31 })
const mention: fc.Arbitrary<LinkMention> = plainRecord({
  page: href,
  relation: fc.constantFrom('a href', 'area href', 'Location header'),
  isNoFollow: fc.boolean(),
  text: fc.constantFrom('', 'Read more', 'työ 🕷', 'x'.repeat(150)),
  atMs: fc.integer({ min: 0, max: 2 ** 42 }),
  isGone: fc.boolean(),
})
const link: fc.Arbitrary<LinkText> = fc
  .record({
    mention,
    href,
    kind: fc.constantFrom(...linkKinds),
    jobId: fc.constantFrom('a', 'työ 🕷', 'c'.repeat(300)),
    depth: figure,
    priority: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    requisiteHops: fc.option(figure, { nil: undefined }),
    redirects: fc.option(figure, { nil: undefined }),
  })
  .map(({ priority, requisiteHops, redirects, mention: told, ...rest }) => ({
    ...rest,
    ...(rest.kind === 'mention' && { mention: told }),
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
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const answer: fc.Arbitrary<BatchAnswer> = plainRecord({
  isKnown: fc.boolean(),
  arc: maybe(plainRecord({ after: key, upTo: key, following: fc.array(owner, { maxLength: 8 }) })),
  refused: fc.array(plainRecord({ from: place, count: place, owner: maybe(owner), isForNow: fc.boolean() })),
})

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
    property: fc.property(answer, (given) =>
      assert.deepEqual(batchAnswer.decode(batchAnswer.encode(given)), given),
    ),
  },
  {
    name: 'garbage is refused with a typed error',
    property: fc.property(garbage, garbage, garbage, (figures, text, hexes) => {
      refusedOrDone(() => decodeLinks({ figures, text, hexes }))
      refusedOrDone(() => batchAnswer.decode(figures))
      refusedOrDone(() => decodeMentions(text))
      refusedOrDone(() => unpackBatch(figures, () => noHistory))
    }),
  },
  {
    name: 'numbers that name what is not there are refused; what is read keeps the limits',
    property: fc.property(hostile, (given) => {
      let read: LinkText[] = []
      refusedOrDone(() => {
        read = decodeLinks(sectionsOf(given))
      })
      assert.ok(read.length === 0 || isWellFormed(given), 'a batch that breaks a rule was read')
      for (const { href: text } of read) assert.match(text, /^[!-~]*$/)
    }),
  },
  {
    name: 'a batch that is cut short, or packed against something else, is refused with a typed error',
    property: fc.asyncProperty(links, links, fc.nat(), async (before, given, cut) => {
      const earlier = encodeLinks(before)
      const history = noHistory.after(earlier, contentIdOf(earlier))
      const packed = await packBatch(simulatedCompressor, encodeLinks(given), { history, wantsArc: false })
      refusedOrDone(() => unpackBatch(packed.subarray(0, cut % packed.length), () => history))
      refusedOrDone(() => decodeLinks(unpackBatch(packed, () => noHistory).sections))
    }),
  },
  {
    name: 'what unpacks to more than a batch may have is too large, whatever it is made of',
    property: fc.property(
      fc.nat(255),
      fc.integer({ min: 1, max: 64 }),
      windowLogs,
      (byte, times, windowLog) => {
        const bomb = bombOf(Buffer.alloc(sectionBytesMax + times, byte), windowLog)
        const batch = new MessageWriter().byte(2).byte(0).hex(noHistory.id).number(bomb.length).number(0)
        assert.throws(() => unpackBatch(batch.fixed(bomb).finish(), () => noHistory), {
          code: 'exchange-too-large',
        })
      },
    ),
  },
  {
    name: 'damaged messages are refused with a typed error, or read as another message',
    property: fc.asyncProperty(links, answer, damage, async (given, answered, changes) => {
      const sections = encodeLinks(given)
      const packed = await packBatch(simulatedCompressor, sections, { history: noHistory, wantsArc: false })
      refusedOrDone(() => decodeLinks({ ...sections, figures: damaged(sections.figures, changes) }))
      refusedOrDone(() => decodeLinks({ ...sections, text: damaged(sections.text, changes) }))
      refusedOrDone(() => decodeLinks({ ...sections, hexes: damaged(sections.hexes, changes).subarray(1) }))
      const { mentions } = sections
      if (mentions) refusedOrDone(() => decodeLinks({ ...sections, mentions: damaged(mentions, changes) }))
      refusedOrDone(() => batchAnswer.decode(damaged(batchAnswer.encode(answered), changes)))
      refusedOrDone(() => decodeLinks(unpackBatch(damaged(packed, changes), () => noHistory).sections))
    }),
  },
]
