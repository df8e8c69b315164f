// Word share: how much of a page's text changed, from the one text difference that the comparison of two versions shows too.

import { type DifferenceRow, middleDifference } from './difference/text-difference.ts'

/** Tighter than what people are shown: this runs for every page that a crawl finds changed. */
const limits = {
  lineEdits: 300,
  wordEdits: 100,
  wordEditsInAll: 1_000,
}

const wordPattern = /[\p{L}\p{M}\p{N}_]+/gu

/** Words removed and added, of all words of both: 0 to 1. Where the texts differ too much to be matched, by the words that they
 * have in common wherever they stand. */
export function changedWordShare(before: readonly string[], after: readonly string[]): number {
  const { start, end, middle, isCoarse } = middleDifference(before, after, limits)
  if (isCoarse) return coarseShare(before, after)
  const changed = middle.reduce((sum, row) => sum + changedIn(row), 0)
  if (changed === 0) return 0
  const shared = wordsIn(before, 0, start) + wordsIn(before, before.length - end, before.length)
  const words =
    2 * shared + wordsIn(before, start, before.length - end) + wordsIn(after, start, after.length - end)
  return Math.min(1, changed / words)
}

function changedIn(row: DifferenceRow): number {
  switch (row.kind) {
    case 'added':
    case 'removed':
      return countWords(row.text)
    case 'changed':
      return [...row.left, ...row.right].reduce(
        (sum, { text, isMarked }) => (isMarked ? sum + countWords(text) : sum),
        0,
      )
    default:
      return 0
  }
}

function coarseShare(before: readonly string[], after: readonly string[]): number {
  const counts = new Map<string, number>()
  let left = 0
  let right = 0
  let shared = 0
  for (const line of before) {
    for (const [word] of line.matchAll(wordPattern)) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
      left++
    }
  }
  for (const line of after) {
    for (const [word] of line.matchAll(wordPattern)) {
      right++
      const count = counts.get(word) ?? 0
      if (count === 0) continue
      counts.set(word, count - 1)
      shared++
    }
  }
  return left + right === 0 ? 0 : 1 - (2 * shared) / (left + right)
}

function wordsIn(lines: readonly string[], from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at++) count += countWords(lines[at]!)
  return count
}

/** What stands between spaces; in scripts without spaces each character, as the difference has it. */
function countWords(text: string): number {
  let count = 0
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x20 || code === 0xa0) isInWord = false
    else if (code >= 0x0e00 && isUnspaced(code)) {
      count++
      isInWord = false
    } else if (!isInWord) {
      count++
      isInWord = true
    }
  }
  return count
}

function isUnspaced(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x9fff) ||
    code <= 0x0eff ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff)
  )
}
