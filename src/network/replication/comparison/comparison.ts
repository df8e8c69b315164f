// Comparison: finds out what another peer holds in some ranges that we do not, and the other way round.
//
// Asks for the parts of a range, looks which of them differ from ours, and goes on with those until they are so small
// that the other lists its ids. All comparing is done here, the other only answers; ids go over the wire once, those of
// ranges where one side has nothing not at all. Pure: who carries questions and answers, several at a time and in any
// order, is the caller's business.
//
//   while (!comparison.isDone) {
//     const question = comparison.ask()                    // undefined: first hear an answer
//     for (const difference of comparison.hear(question, await carry(question.bytes))) …
//   }
//
// Invariants: a range is waiting, asked about or settled; but for the first ones there is an entry of ours in each that is
// asked about, so that whatever the other says there are no more of them than our entries times depthMax; waiting ranges
// are bounded, deepest first where there are many. What is heard is true of the moment: entries come and go, and the next
// comparison finds what this one could not see. Given up half-way, `remaining` is what a later one has to look at.

import assert from 'node:assert/strict'
import { isEmptyRange, type KeyRange, nextKey } from '../sums/key-range.ts'
import type { RangeSums } from '../sums/range-sums.ts'
import type { Tally } from '../sums/tally.ts'
import { type AnsweredPart, decodeAnswer } from './answer.ts'
import { ComparisonEndless } from './comparison-error.ts'
import { depthMax, idsTypical, partsMax, rangesMax } from './comparison-limits.ts'
import { type Difference, textOfId } from './difference.ts'
import { fingerprintOf, saltBytes } from './fingerprint.ts'
import { encodeQuestion } from './question.ts'

/** Beyond so many waiting ranges they are asked about one by one, so that they become fewer. */
export const waitingMax = 65_536
export const questionsMax = 512
const countLarge = 8_192
/** Of our own entries that are read at once. */
const entriesAtOnce = 256

interface WaitingRange {
  readonly range: KeyRange
  readonly depth: number
  /** How many entries the other says it has there; undefined before it was asked. */
  readonly theirCount: number | undefined
}

/** What a comparison needs of our sums. */
type ComparedSums = Pick<RangeSums, 'sumOf' | 'sumsOf' | 'entries'>

export interface ComparisonQuestion {
  readonly bytes: Uint8Array
}

type Finding =
  | Extract<Difference, { kind: 'all-ours' | 'all-theirs' }>
  | { readonly kind: 'listed'; readonly range: KeyRange; readonly ids: readonly Uint8Array[] }

export class Comparison {
  readonly #sums: ComparedSums
  readonly #salt: Uint8Array
  /** The last one is asked about next. */
  readonly #waiting: WaitingRange[]
  readonly #asked = new Map<ComparisonQuestion, WaitingRange[]>()
  /** How many ranges will wait instead of those asked about, if the other is honest. */
  #growth = 0

  /** `salt`: random bytes, others for each comparison. */
  constructor(sums: ComparedSums, ranges: readonly KeyRange[], salt: Uint8Array) {
    assert.equal(salt.length, saltBytes)
    this.#sums = sums
    this.#salt = salt
    this.#waiting = ranges
      .filter((range) => !isEmptyRange(range))
      .map((range) => ({ range, depth: 0, theirCount: undefined }))
      .toReversed()
  }

  get isDone(): boolean {
    return this.#waiting.length === 0 && this.#asked.size === 0
  }

  /** The next question; undefined when an answer must be heard first, or all is done. */
  ask(): ComparisonQuestion | undefined {
    const count = this.#countToAsk()
    if (count === 0) return undefined
    const ranges = this.#waiting.splice(-count).reverse()
    const bytes = encodeQuestion({
      salt: this.#salt,
      ranges: ranges.map(({ range, theirCount }) => ({
        range,
        // A part is only asked about when it differs.
        fingerprint:
          theirCount === undefined ? fingerprintOf(this.#salt, this.#sums.sumOf(range)) : undefined,
      })),
    })
    const question = { bytes }
    this.#asked.set(question, ranges)
    this.#growth += growthOf(ranges)
    return question
  }

  /** What an answer tells. Our own entries are read as the differences are taken. Throws MessageMalformed or ComparisonEndless
   * when the other is not to be talked to any more. */
  hear(question: ComparisonQuestion, bytes: Uint8Array): Iterable<Difference> {
    const ranges = this.#asked.get(question)
    assert(ranges !== undefined, 'an answer to no question')
    const answers = decodeAnswer(
      bytes,
      ranges.map(({ range }) => range),
    )
    this.#settle(question, ranges)
    this.#wait(ranges.slice(answers.length))
    const findings: Finding[] = []
    for (const [index, answer] of answers.entries()) {
      const asked = ranges[index]!
      if (answer.kind === 'ids') findings.push({ kind: 'listed', range: asked.range, ids: answer.ids })
      // Many ranges that were said to be small and are not would be too many: they are asked about again, one by one.
      else if (answer.kind === 'parts' && ranges.length > 1 && this.#waiting.length > waitingMax) {
        this.#wait([{ ...asked, theirCount: Number.POSITIVE_INFINITY }])
      } else if (answer.kind === 'parts') findings.push(...this.#look(asked, answer.parts))
    }
    return this.#differences(findings)
  }

  /** No answer will come: its ranges are asked about again. */
  lose(question: ComparisonQuestion): void {
    const ranges = this.#asked.get(question)
    assert(ranges !== undefined, 'a question that was not asked')
    this.#settle(question, ranges)
    this.#wait(ranges)
  }

  /** How many ranges are not settled. */
  get rangesLeft(): number {
    let asked = 0
    for (const ranges of this.#asked.values()) asked += ranges.length
    return this.#waiting.length + asked
  }

  /** The ranges that are not settled, for a comparison that goes on with them later. */
  remaining(): KeyRange[] {
    const asked = [...this.#asked.values()].flat()
    return [...this.#waiting, ...asked]
      .map(({ range }) => range)
      .sort((one, other) => Buffer.compare(one.from, other.from))
  }

  #settle(question: ComparisonQuestion, ranges: readonly WaitingRange[]): void {
    this.#asked.delete(question)
    this.#growth -= growthOf(ranges)
  }

  #countToAsk(): number {
    if (this.#waiting.length === 0 || this.#asked.size >= questionsMax) return 0
    const next = this.#waiting.slice(-rangesAtOnce(this.#waiting.at(-1)!))
    if (this.#waiting.length + this.#growth + growthOf(next) <= waitingMax) return next.length
    return this.#asked.size === 0 ? 1 : 0
  }

  #look({ depth }: WaitingRange, parts: readonly AnsweredPart[]): Finding[] {
    const findings: Finding[] = []
    const differing: WaitingRange[] = []
    const sums = this.#sums.sumsOf(parts.map(({ range }) => range))
    for (const [index, { range, count, fingerprint }] of parts.entries()) {
      const ours = sums[index]!
      const isSame = (tally: Tally): boolean =>
        fingerprint !== undefined && Buffer.compare(fingerprint, fingerprintOf(this.#salt, tally)) === 0
      if (ours.isEmpty && count > 0) {
        const isHere = (): boolean => isSame(this.#sums.sumOf(range))
        findings.push({ kind: 'all-theirs', range, count, isHere })
      } else if (count === 0 && !ours.isEmpty) findings.push({ kind: 'all-ours', range, count: ours.count })
      else if (fingerprint !== undefined && !isSame(ours)) {
        differing.push({ range, depth: depth + 1, theirCount: count })
      }
    }
    if (depth + 1 >= depthMax && differing.length > 0) throw new ComparisonEndless()
    this.#wait(differing)
    return findings
  }

  #wait(ranges: readonly WaitingRange[]): void {
    for (const range of ranges.toReversed()) this.#waiting.push(range)
  }

  *#differences(findings: readonly Finding[]): Iterable<Difference> {
    for (const finding of findings) {
      if (finding.kind !== 'listed') yield finding
      else if (finding.ids.length > 0) yield* this.#compareIds(finding.range, finding.ids)
      else {
        const { count } = this.#sums.sumOf(finding.range)
        if (count > 0) yield { kind: 'all-ours', range: finding.range, count }
      }
    }
  }

  *#compareIds(range: KeyRange, theirs: readonly Uint8Array[]): Iterable<Difference> {
    const missing = new Map(theirs.map((id) => [textOfId(id), id]))
    let { from } = range
    for (;;) {
      const entries = [...this.#sums.entries({ from, to: range.to }, entriesAtOnce)]
      const ours = entries.filter(({ id }) => !missing.delete(textOfId(id)))
      if (ours.length > 0) yield { kind: 'ours', entries: ours }
      if (entries.length < entriesAtOnce) break
      from = nextKey(entries.at(-1)!.key)
    }
    if (missing.size > 0) yield { kind: 'theirs', range, ids: [...missing.values()] }
  }
}

/** Large ranges take the other long: a question about many would be answered in part, which costs a round trip. */
function rangesAtOnce({ theirCount }: WaitingRange): number {
  return theirCount !== undefined && theirCount > countLarge ? rangesMax / 4 : rangesMax
}

/** Small ranges are listed, others split. */
function growthOf(ranges: readonly WaitingRange[]): number {
  const split = ranges.filter(({ theirCount }) => theirCount === undefined || theirCount > idsTypical)
  return split.length * partsMax
}
