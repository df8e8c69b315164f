// Two peers with any entries find exactly what they differ in, whatever they were asked about.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { PolyhistorError } from '../../../errors.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { converse } from '../fixtures/conversation.ts'
import { arbitraryEntry, arbitraryRange, crowdedEntry } from '../fixtures/entries.ts'
import type { Holdings } from '../fixtures/holdings.ts'
import { withHoldings } from '../fixtures/simulated-holdings.ts'
import { isBefore, isEmptyRange, type KeyRange, rangesOfArc } from '../sums/key-range.ts'
import type { RosterEntry } from '../sums/roster.ts'
import { type AnsweredPart, AnswerWriter, decodeAnswer, type RangeAnswer } from './answer.ts'
import { answerQuestion } from './answering.ts'
import { Comparison } from './comparison.ts'
import { type Difference, entriesById } from './difference.ts'
import { decodeQuestion, encodeQuestion } from './question.ts'

const salt = fc.uint8Array({ minLength: 8, maxLength: 8 })
const place = fc
  .oneof(
    fc.uint8Array({ minLength: 20, maxLength: 20 }),
    fc.constantFrom(...[0, 6, 7, 8, 255].map((byte) => new Uint8Array(20).fill(byte))),
  )
  .map((bytes) => Buffer.from(bytes).toString('hex') as RingKey)
const arc = fc.tuple(place, place).map(([from, to]) => rangesOfArc(from, to))
const range = arbitraryRange.filter((drawn) => !isEmptyRange(drawn))

interface Sets {
  common: RosterEntry[]
  ours: RosterEntry[]
  theirs: RosterEntry[]
}

const setsOf = (entry: fc.Arbitrary<RosterEntry>, common: number, own: number): fc.Arbitrary<Sets> =>
  fc.record({
    common: fc.array(entry, { maxLength: common, size: 'max' }),
    ours: fc.array(entry, { maxLength: own, size: 'max' }),
    theirs: fc.array(versionOf(entry), { maxLength: own, size: 'max' }),
  })

function versionOf(entry: fc.Arbitrary<RosterEntry>): fc.Arbitrary<RosterEntry> {
  return fc.tuple(entry, fc.nat(2)).map(([{ key, id }, version]) => {
    const other = id.slice()
    other[7]! += version
    return { key, id: other }
  })
}

/** The same key with another id is another entry: what has versions has the same key in each. */
const textOf = ({ key, id }: RosterEntry): string => `${hexOf(key)} ${hexOf(id)}`
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const byKey = (entries: RosterEntry[]): Map<string, RosterEntry> =>
  new Map(entries.map((entry) => [hexOf(entry.key), entry]))
const textsOf = (entries: Map<string, RosterEntry>): Set<string> => new Set([...entries.values()].map(textOf))
const isWithin = (ranges: KeyRange[], { key }: RosterEntry): boolean =>
  ranges.some(({ from, to }) => !isBefore(key, from) && isBefore(key, to))

/** The keys that differences name, on either side. */
class Found {
  readonly ours: string[] = []
  readonly theirs: string[] = []
  readonly #here: Holdings
  readonly #there: Holdings

  constructor(here: Holdings, there: Holdings) {
    this.#here = here
    this.#there = there
  }

  add(difference: Difference): void {
    if (difference.kind === 'ours') this.ours.push(...difference.entries.map(textOf))
    if (difference.kind === 'all-ours') this.ours.push(...keysIn(this.#here, difference.range))
    if (difference.kind === 'all-theirs') this.theirs.push(...keysIn(this.#there, difference.range))
    if (difference.kind === 'theirs') {
      const entries = [...entriesById(this.#there, difference.range, difference.ids)]
      assert.equal(entries.length, difference.ids.length)
      this.theirs.push(...entries.map(textOf))
    }
  }
}

function keysIn(holdings: Holdings, asked: KeyRange): string[] {
  return [...holdings.sums.entries(asked)].map(textOf)
}

function expected(
  mine: Map<string, RosterEntry>,
  other: Map<string, RosterEntry>,
  ranges: KeyRange[],
): string[] {
  const others = textsOf(other)
  return [...mine.values()]
    .filter((entry) => isWithin(ranges, entry) && !others.has(textOf(entry)))
    .map(textOf)
}

function findsDifferences(
  { common, ours, theirs }: Sets,
  ranges: KeyRange[],
  drawnSalt: Uint8Array,
  stopsAt = Number.POSITIVE_INFINITY,
): Promise<void> {
  const [mine, other] = [byKey([...common, ...ours]), byKey([...common, ...theirs])]
  return withHoldings(
    async (here, there) => {
      await here!.add(mine.values())
      await there!.add(other.values())
      const found = new Found(here!, there!)
      let comparison = new Comparison(here!.sums, ranges, drawnSalt)
      // Given up after some answers, and gone on with later.
      for (let answers = 0; answers < stopsAt && !comparison.isDone; answers++) {
        const question = comparison.ask()!
        // Every other answer is short, as where a whole one would take too long.
        const answer = answerQuestion(
          there!.sums,
          answers % 2 === 0 ? question.bytes : beginningOf(question.bytes),
        )
        for (const difference of comparison.hear(question, answer)) found.add(difference)
      }
      comparison.ask()
      comparison = new Comparison(here!.sums, comparison.remaining(), drawnSalt.toReversed())
      converse(comparison, there!.sums, (difference) => found.add(difference))
      assert.deepEqual(found.ours.sort(), expected(mine, other, ranges).sort())
      assert.deepEqual(found.theirs.sort(), expected(other, mine, ranges).sort())
    },
    { count: 2 },
  )
}

/** The question about its first range alone. */
function beginningOf(question: Uint8Array): Uint8Array {
  const { salt: asked, ranges } = decodeQuestion(question)
  return encodeQuestion({ salt: asked, ranges: ranges.slice(0, 1) })
}

const id = fc.uint8Array({ minLength: 16, maxLength: 16 })
const fingerprint = fc.uint8Array({ minLength: 8, maxLength: 8 })

/** Parts of a range, cut at bounds that lie in it. */
const cutRange = fc
  .tuple(range, fc.array(arbitraryRange, { minLength: 1, maxLength: 14 }), fingerprint)
  .map(([whole, cuts, drawn]) => {
    const inside = cuts
      .map(({ from }) => from)
      .filter((cut) => isBefore(whole.from, cut) && isBefore(cut, whole.to))
      .sort(Buffer.compare)
      .filter((cut, index, all) => index === 0 || Buffer.compare(cut, all[index - 1]!) !== 0)
    const bounds = [whole.from, ...inside]
    const parts = bounds.map((from, index): AnsweredPart => {
      const to = index + 1 < bounds.length ? bounds[index + 1] : whole.to
      return { range: { from, to }, count: index * 1_000, fingerprint: index === 0 ? undefined : drawn }
    })
    return { whole, parts }
  })
  .filter(({ parts }) => parts.length > 1)

function readOrRefused(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
  }
}

/** Buffers and plain bytes are the same here. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part) =>
      part?.type === 'Buffer' || part instanceof Uint8Array ? [...(part.data ?? part)] : part,
    ),
  )
}

export const properties = [
  {
    name: 'any two sets in any ranges give exactly what they differ in, also when given up half-way',
    property: fc.asyncProperty(
      setsOf(arbitraryEntry, 200, 60),
      fc.oneof(
        arc,
        range.map((drawn) => [drawn]),
      ),
      salt,
      fc.nat(6),
      (sets, ranges, drawn, stopsAt) => findsDifferences(sets, ranges, drawn, stopsAt),
    ),
  },
  {
    name: 'so do sets where no piece begins by itself',
    property: fc.asyncProperty(setsOf(crowdedEntry, 900, 10), arc, salt, (sets, ranges, drawn) =>
      findsDifferences(sets, ranges, drawn),
    ),
  },
  {
    name: 'questions come as they went',
    property: fc.property(
      salt,
      fc.array(fc.record({ range, fingerprint: fc.option(fingerprint, { nil: undefined }) }), {
        minLength: 1,
        maxLength: 32,
      }),
      (drawn, ranges) => {
        const question = { salt: drawn, ranges }
        assert.deepEqual(plain(decodeQuestion(encodeQuestion(question))), plain(question))
      },
    ),
  },
  {
    name: 'answers come as they went, also with what a later version adds',
    property: fc.property(cutRange, fc.array(id, { maxLength: 40 }), id, ({ whole, parts }, ids, added) => {
      const answers: RangeAnswer[] = [{ kind: 'parts', parts }, { kind: 'same' }, { kind: 'ids', ids }]
      const writer = new AnswerWriter()
      for (const answer of answers) writer.write(answer)
      const asked = [whole, whole, whole, whole]
      assert.deepEqual(plain(decodeAnswer(Buffer.concat([writer.finish(), added]), asked)), plain(answers))
    }),
  },
  {
    name: 'whatever bytes come in, they are read or refused',
    property: fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(4),
      fc.nat(2),
      fc.array(range, { minLength: 1, maxLength: 4 }),
      (bytes, count, kind, asked) => {
        const plausible = [
          Uint8Array.of(1),
          Uint8Array.of(1, count, kind),
          Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, count),
        ]
        for (const start of [new Uint8Array(), ...plausible]) {
          const given = Buffer.concat([start, bytes])
          readOrRefused(() => decodeQuestion(given))
          readOrRefused(() => decodeAnswer(given, asked))
        }
      },
    ),
  },
]
