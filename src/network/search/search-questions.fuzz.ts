import assert from 'node:assert/strict'
import fc from 'fast-check'
import { counterMax } from '../../formats/wire/message-bytes.ts'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { type RingKey, ringKeyFromBytes } from '../../model/ring-key.ts'
import { isOnArc } from '../../search/query/territory.ts'
import { joinedArcs } from './search-handler.ts'
import { rangesOfRing, type SearchPlaces } from './search-places.ts'
import {
  countAnswer,
  findAnswer,
  nearAnswer,
  type SearchMessage,
  searchMessage,
  showAnswer,
} from './search-questions.ts'

const ringKey = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(ringKeyFromBytes)
const counter = fc.integer({ min: 0, max: counterMax })
const score = fc.double({ min: 0, max: 1e6, noNaN: true })
const uint48 = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const words = fc.stringMatching(/^[a-z:"é東 -]{1,40}$/)
const optionalWord = fc.option(fc.stringMatching(/^[a-z.]{1,20}$/), { nil: undefined })
const asked = { text: words, site: optionalWord, at: optionalWord }
const where = {
  arcs: fc.array(plainRecord({ after: ringKey, upTo: ringKey }), { maxLength: 5 }),
  splitsId: fc.stringMatching(/^[0-9a-f]{0,16}$/),
  isAnyway: fc.boolean(),
}
const found = plainRecord({ score, page: uint48, document: uint48 })
const question: fc.Arbitrary<SearchMessage> = fc.oneof(
  plainRecord({ kind: fc.constant('count' as const), ...asked, ...where }),
  plainRecord({
    kind: fc.constant('find' as const),
    ...asked,
    ...where,
    documents: counter,
    words: counter,
    counts: fc.array(counter, { maxLength: 5 }),
    limit: fc.integer({ min: 0, max: 100 }),
    after: fc.option(plainRecord({ score, page: uint48 }), { nil: undefined }),
    hasFacets: fc.boolean(),
  }),
  plainRecord({ kind: fc.constant('show' as const), ...asked, found: fc.array(found, { maxLength: 5 }) }),
  plainRecord({ kind: fc.constant('near' as const), words: fc.array(words, { maxLength: 3 }) }),
)
const anyBytes = fc.uint8Array({ maxLength: 300 })

function ringOf(keys: readonly RingKey[]): SearchPlaces {
  return {
    self: 'peer-0',
    copies: 3,
    positions: () => keys.map((place, index) => ({ peer: `peer-${index % 4}`, place })),
    fullSet: () => ['peer-1', 'peer-2'],
    covers: () => false,
    isNewcomer: () => false,
    divided: () => [],
    splitsId: () => '',
  }
}

export const properties = [
  {
    name: 'a question of a search is read as it was written',
    property: fc.property(question, (message) => {
      assert.deepEqual(searchMessage.decode(searchMessage.encode(message)), message)
    }),
  },
  {
    name: 'whatever comes is read or refused',
    property: fc.property(anyBytes, (bytes) => {
      for (const schema of [searchMessage, countAnswer, findAnswer, showAnswer, nearAnswer])
        refusedOrDone(() => schema.decode(bytes))
    }),
  },
  {
    name: 'every place of the ring lies on one of its parts, and on one only, also when neighbours are joined',
    property: fc.property(fc.uniqueArray(ringKey, { maxLength: 12 }), ringKey, (keys, place) => {
      const ranges = rangesOfRing(ringOf(keys))
      assert.equal(ranges.filter((range) => isOnArc(range, place)).length, 1)
      const some = ranges.filter((_, index) => index % 3 !== 1)
      const isThere = some.some((range) => isOnArc(range, place))
      const joined = joinedArcs(some)
      assert.equal(joined.filter((arc) => isOnArc(arc, place)).length, isThere ? 1 : 0)
      assert(joined.length <= some.length)
    }),
  },
]
