// Answers questions about what we hold. Remembers nothing between them: each is answered as things are, in bounded time and with a
// bounded number of bytes, whoever asks.
//
// Leaves to the caller who may ask, and how often.

import type { KeyRange } from '../sums/key-range.ts'
import type { RangeSums } from '../sums/range-sums.ts'
import { AnswerWriter, type RangeAnswer } from './answer.ts'
import { answerBytesTypical, idsTypical, partsMax, readsMax } from './comparison-limits.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type AskedRange, decodeQuestion } from './question.ts'

/** Throws MessageMalformed for what is no question, SumsIncomplete while we cannot tell. */
export function answerQuestion(sums: RangeSums, bytes: Uint8Array): Uint8Array {
  const { salt, ranges } = decodeQuestion(bytes)
  const answer = new AnswerWriter()
  const readsBefore = sums.reads
  for (const asked of ranges) {
    answer.write(answerRange(sums, salt, asked))
    if (answer.length > answerBytesTypical || sums.reads - readsBefore > readsMax) break
  }
  return answer.finish()
}

function answerRange(sums: RangeSums, salt: Uint8Array, { range, fingerprint }: AskedRange): RangeAnswer {
  const tally = sums.sumOf(range)
  if (fingerprint !== undefined && Buffer.compare(fingerprint, fingerprintOf(salt, tally)) === 0) {
    return { kind: 'same' }
  }
  if (tally.count <= idsTypical) return { kind: 'ids', ids: idsIn(sums, range) }
  const parts = sums.parts(range, partsMax, tally).map((part) => ({
    range: part.range,
    count: part.tally.count,
    fingerprint: fingerprintOf(salt, part.tally),
  }))
  return { kind: 'parts', parts }
}

function idsIn(sums: RangeSums, range: KeyRange): Uint8Array[] {
  return Array.from(sums.entries(range), ({ id }) => id)
}
