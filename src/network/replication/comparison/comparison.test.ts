import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { MessageMalformed, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import { withTemporaryFolder } from '../../../platform/fixtures/temporary-folder.ts'
import { RealDisk } from '../../../platform/real/disk/disk.ts'
import { RealKeyValues } from '../../../platform/real/key-value/key-value.ts'
import { type Conversation, converse } from '../fixtures/conversation.ts'
import { plainEntry } from '../fixtures/entries.ts'
import { Holdings } from '../fixtures/holdings.ts'
import { withHoldings } from '../fixtures/simulated-holdings.ts'
import { allKeys, type KeyRange } from '../sums/key-range.ts'
import { SumsIncomplete } from '../sums/range-sums.ts'
import type { RosterEntry } from '../sums/roster.ts'
import { Tally } from '../sums/tally.ts'
import { AnswerWriter, decodeAnswer } from './answer.ts'
import { answerQuestion } from './answering.ts'
import { properties } from './comparison.fuzz.ts'
import { Comparison, questionsMax, waitingMax } from './comparison.ts'
import { ComparisonEndless } from './comparison-error.ts'
import { depthMax, idsMax, messageBytesMax, partsMax, rangesMax, readsMax } from './comparison-limits.ts'
import type { Difference } from './difference.ts'
import { fingerprintOf } from './fingerprint.ts'
import { decodeQuestion, encodeQuestion } from './question.ts'

const salt = new Uint8Array(8)
const entries = (count: number, first = 0): RosterEntry[] =>
  Array.from({ length: count }, (_, index) => plainEntry(first + index))

describe('a comparison', () => {
  testProperties(properties, 60)

  test('takes few bytes and round trips, next to none where nothing differs', () =>
    withReplicas(entries(30_000), async (here, there) => {
      const equal = compare(here, there)
      assert.deepEqual([equal.found, equal.roundTrips], [[], 1])
      assert(equal.bytes < 100, `${equal.bytes} bytes`)
      for (const count of [1, 10, 300]) {
        const missing = entries(count, 7_000)
        await there.remove(missing)
        const { bytes, roundTrips, found } = compare(here, there)
        assert.equal(sizeOf(found), count)
        assert(bytes <= 2_048 * (count + 1), `${bytes} bytes for ${count}`)
        assert(roundTrips <= 8, `${roundTrips} round trips`)
        await there.add(missing)
      }
    }))

  test('of nothing with much exchanges no ids, whoever asks', () =>
    withReplicas(entries(5_000), async (full, other) => {
      await other.remove(entries(5_000))
      for (const { here, there, kind } of [
        { here: other, there: full, kind: 'all-theirs' },
        { here: full, there: other, kind: 'all-ours' },
      ]) {
        const { bytes, roundTrips, found } = compare(here, there)
        assert(found.every((difference) => difference.kind === kind))
        assert.equal(sizeOf(found), 5_000)
        assert.equal(roundTrips, 1)
        assert(bytes < 1_000, `${bytes} bytes`)
      }
    }))

  test('of much with little tells of what is missing there in pieces', () =>
    withReplicas(entries(3_000), async (here, there) => {
      await there.remove(entries(2_990))
      await there.add(entries(5, 9_000))
      const { found } = compare(here, there)
      assert.equal(sizeOf(found), 2_990 + 5)
      for (const difference of found) if (difference.kind === 'ours') assert(difference.entries.length <= 256)
    }))

  test('goes on when answers are lost, and when entries come and go meanwhile', () =>
    withHoldings(
      async (here, there) => {
        await here!.add(entries(500))
        await there!.add(entries(500, 100))
        const comparison = new Comparison(here!.sums, [allKeys], salt)
        const found: Difference[] = []
        for (let round = 0; !comparison.isDone; round++) {
          const question = comparison.ask()!
          if (round % 2 === 0) {
            comparison.lose(question)
            await there!.add(entries(10, 1_000 + 10 * round))
            continue
          }
          found.push(...comparison.hear(question, answerQuestion(there!.sums, question.bytes)))
        }
        const ids = new Set(found.flatMap((difference) => idsOf(difference, here!, there!)))
        for (const { id } of [...entries(100), ...entries(100, 500)]) assert(ids.has(hexOf(id)))
        for (const { id } of entries(400, 100)) assert(!ids.has(hexOf(id)))
      },
      { count: 2 },
    ))
})

test('a fingerprint is another one with another salt, and for another tally', () => {
  const [one, two] = [new Tally().addEntry(entries(1)[0]!.id), new Tally().addEntry(entries(1, 1)[0]!.id)]
  const prints = [
    fingerprintOf(salt, one),
    fingerprintOf(Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0), one),
    fingerprintOf(salt, two),
  ]
  assert.equal(new Set(prints.map(hexOf)).size, 3)
  assert.deepEqual(fingerprintOf(salt, one), prints[0])
})

describe('whoever asks', () => {
  test('is told to wait while what there is has not been counted', () =>
    withHoldings(
      async (holdings) => {
        const question = encodeQuestion({ salt, ranges: [{ range: allKeys }] })
        assert.throws(() => answerQuestion(holdings!.sums, question), SumsIncomplete)
      },
      { isCovered: false },
    ))

  test('gets the first part of an answer that would take too long', () =>
    withReplica(entries(30_000), async (holdings) => {
      const ranges = Array.from({ length: rangesMax }, () => ({ range: allKeys }))
      const before = holdings.sums.reads
      const answer = answerQuestion(holdings.sums, encodeQuestion({ salt, ranges }))
      const answered = decodeAnswer(
        answer,
        ranges.map(({ range }) => range),
      ).length
      assert(answered > 1 && answered < rangesMax, `${answered} answered`)
      assert(holdings.sums.reads - before < 1.2 * readsMax)
    }))

  test.each([
    ['nothing at all', new Uint8Array()],
    ['another version', new MessageWriter().byte(2).fixed(salt).number(1).finish()],
    ['no range', new MessageWriter().byte(1).fixed(salt).number(0).finish()],
    [
      'too many ranges',
      new MessageWriter()
        .byte(1)
        .fixed(salt)
        .number(rangesMax + 1)
        .finish(),
    ],
    ['too many bytes', new Uint8Array(messageBytesMax + 1).fill(1)],
    [
      'an empty range',
      encodeQuestion({ salt, ranges: [{ range: { from: Uint8Array.of(2), to: Uint8Array.of(2) } }] }),
    ],
    [
      'a range the wrong way',
      encodeQuestion({ salt, ranges: [{ range: { from: Uint8Array.of(3), to: Uint8Array.of(2) } }] }),
    ],
    [
      'a giant bound',
      new MessageWriter()
        .byte(1)
        .fixed(salt)
        .number(1)
        .number(1)
        .number(5_000)
        .fixed(new Uint8Array(5_000))
        .finish(),
    ],
    [
      'a bound that shares too much',
      new MessageWriter().byte(1).fixed(salt).number(1).number(9).number(0).finish(),
    ],
  ])('with %s is refused', (_, bytes) => {
    assert.throws(() => decodeQuestion(bytes), MessageMalformed)
  })
})

describe('whoever answers', () => {
  const range: KeyRange = { from: Uint8Array.of(2), to: Uint8Array.of(4) }
  const answer = (): MessageWriter => new MessageWriter().byte(1).number(1)
  const part = (writer: MessageWriter): MessageWriter => writer.number(5).fixed(new Uint8Array(8))
  /** A whole bound, sharing nothing. */
  const bound = (writer: MessageWriter, byte: number): MessageWriter => writer.number(1).number(1).byte(byte)

  test.each([
    ['nothing at all', new Uint8Array()],
    ['no range', new MessageWriter().byte(1).number(0).finish()],
    ['more ranges than were asked', new MessageWriter().byte(1).number(2).byte(0).byte(0).finish()],
    ['something unknown', answer().byte(3).finish()],
    [
      'too many ids',
      answer()
        .byte(1)
        .number(idsMax + 1)
        .finish(),
    ],
    ['ids cut short', answer().byte(1).number(3).fixed(new Uint8Array(40)).finish()],
    ['one part', part(answer().byte(2).number(1)).finish()],
    [
      'too many parts',
      answer()
        .byte(2)
        .number(partsMax + 1)
        .finish(),
    ],
    ['a part before the range', part(bound(part(answer().byte(2).number(2)), 1)).finish()],
    ['a part behind the range', part(bound(part(answer().byte(2).number(2)), 5)).finish()],
    ['an empty first part', part(bound(part(answer().byte(2).number(2)), 2)).finish()],
    ['an empty last part', part(bound(part(answer().byte(2).number(2)), 4)).finish()],
    ['a part without end', part(part(answer().byte(2).number(2)).number(0)).finish()],
    ['too many bytes', new Uint8Array(messageBytesMax + 1).fill(1)],
  ])('with %s is refused', (_, bytes) => {
    assert.throws(() => decodeAnswer(bytes, [range]), MessageMalformed)
  })

  test('without end is given up, with few ranges waiting at any time', () => {
    // An entry of ours in every part that the other may think of, and nothing in it as the other says.
    const ours = new Tally().addEntry(new Uint8Array(16).fill(1))
    const comparison = new Comparison(
      { sumOf: () => ours, sumsOf: (ranges) => ranges.map(() => ours), entries: () => [] },
      [{ from: Uint8Array.of(1), to: Uint8Array.of(2) }],
      salt,
    )
    let [asked, waiting] = [0, 0]
    assert.throws(() => {
      while (!comparison.isDone) {
        const questions = []
        for (let next = comparison.ask(); next !== undefined; next = comparison.ask()) questions.push(next)
        asked += questions.length
        for (const question of questions) comparison.hear(question, splitAgain(question.bytes))
        waiting = Math.max(waiting, comparison.rangesLeft)
      }
    }, ComparisonEndless)
    const bound = waitingMax + questionsMax * rangesMax + (rangesMax + depthMax) * partsMax
    assert(waiting > waitingMax && waiting < bound, `${waiting} were waiting`)
    assert(asked > depthMax && asked < waitingMax)
  })

  /** Says of every range that it has few entries, and gives as many parts as it may. */
  function splitAgain(question: Uint8Array): Uint8Array {
    const writer = new AnswerWriter()
    for (const { range: whole } of decodeQuestion(question).ranges) {
      const cuts = Array.from({ length: partsMax - 1 }, (_, index) =>
        Buffer.concat([whole.from, Uint8Array.of(index + 1)]),
      )
      const bounds = [whole.from, ...cuts]
      const parts = bounds.map((from, index) => ({
        range: { from, to: bounds[index + 1] ?? whole.to },
        // No cut like these lies in the first one.
        count: index === 0 ? 0 : 5,
        fingerprint: index === 0 ? undefined : new Uint8Array(8),
      }))
      writer.write({ kind: 'parts', parts })
    }
    return writer.finish()
  }
})

function compare(here: Holdings, there: Holdings): Conversation & { found: Difference[] } {
  const found: Difference[] = []
  const comparison = new Comparison(here.sums, [allKeys], salt)
  return { ...converse(comparison, there.sums, (difference) => found.push(difference)), found }
}

function sizeOf(differences: readonly Difference[]): number {
  return differences.reduce((size, difference) => {
    if (difference.kind === 'ours') return size + difference.entries.length
    return size + (difference.kind === 'theirs' ? difference.ids.length : difference.count)
  }, 0)
}

function idsOf(difference: Difference, here: Holdings, there: Holdings): string[] {
  if (difference.kind === 'theirs') return difference.ids.map(hexOf)
  if (difference.kind === 'ours') return difference.entries.map(({ id }) => hexOf(id))
  const holder = difference.kind === 'all-ours' ? here : there
  return Array.from(holder.sums.entries(difference.range), ({ id }) => hexOf(id))
}

function hexOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}

/** Two with the same entries, in real indexes. */
function withReplicas(
  same: readonly RosterEntry[],
  body: (here: Holdings, there: Holdings) => Promise<void>,
): Promise<void> {
  return withReplica(same, (here) => withReplica(same, (there) => body(here, there)))
}

function withReplica(
  entriesThere: readonly RosterEntry[],
  body: (holdings: Holdings) => Promise<void>,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const holdings = new Holdings(await new RealKeyValues({ disk: new RealDisk() }).open(`${folder}/index`))
    await holdings.addUncounted(entriesThere)
    await holdings.coverAll()
    await body(holdings)
    await holdings.close()
  })
}
