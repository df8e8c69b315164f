import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import { alignedPairs } from './line-pairing.ts'
import { properties } from './text-difference.fuzz.ts'
import { differenceLimits, textDifference } from './text-difference.ts'

const many = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`)

test('the same texts are one gap', () => {
  const lines = many(9, 'line')
  const { rows, counts } = textDifference(lines, lines)
  assert.deepEqual(rows, [{ kind: 'gap', lines: 9 }])
  assert.deepEqual(counts, { removed: 0, added: 0, changed: 0 })
})

test('a word changed is marked, on both sides', () => {
  const { rows } = textDifference(['before', 'the quick fox'], ['before', 'the slow fox'])
  assert.deepEqual(rows, [
    { kind: 'same', text: 'before' },
    {
      kind: 'changed',
      left: [
        { text: 'the ', isMarked: false },
        { text: 'quick', isMarked: true },
        { text: ' fox', isMarked: false },
      ],
      right: [
        { text: 'the ', isMarked: false },
        { text: 'slow', isMarked: true },
        { text: ' fox', isMarked: false },
      ],
    },
  ])
})

test('scripts without spaces are compared by character', () => {
  const { rows } = textDifference(['今日は晴れです'], ['今日は雨です'])
  assert(rows[0]?.kind === 'changed')
  assert.deepEqual(
    rows[0].right.filter(({ isMarked }) => isMarked).map(({ text }) => text),
    ['雨'],
  )
})

test.each([
  ['خبر قديم من المدينة', 'خبر جديد من المدينة', 'جديد'],
  ['старая новость дня', 'новая новость дня', 'новая'],
  ['παλιά νέα εδώ σήμερα', 'φρέσκα νέα εδώ σήμερα', 'φρέσκα'],
])('words are words in every script: %s', (left, right, changed) => {
  const { rows } = textDifference([left], [right])
  assert(rows[0]?.kind === 'changed')
  const marked = rows[0].right.filter(({ isMarked }) => isMarked)
  assert.deepEqual(
    marked.map(({ text }) => text),
    [changed],
  )
})

test('strangers are not paired, and a line that moved among them is', () => {
  const pairs = alignedPairs(
    ['totally different thing here', 'the price is 5 euros'],
    ['the price is 6 euros'],
  )
  assert.deepEqual(pairs, [
    ['totally different thing here', undefined],
    ['the price is 5 euros', 'the price is 6 euros'],
  ])
})

test('what is far from a change is left out, counted', () => {
  const left = many(20, 'line')
  const right = left.with(10, 'something else entirely')
  const kinds = textDifference(left, right).rows.map((row) => (row.kind === 'gap' ? row.lines : row.kind))
  assert.deepEqual(kinds, [8, 'same', 'same', 'removed', 'added', 'same', 'same', 7])
})

describe('bounds', () => {
  test('texts that differ throughout are told coarsely, and soon', () => {
    const difference = textDifference(many(20_000, 'left'), many(20_000, 'right'))
    assert(difference.isCoarse)
    assert.deepEqual(difference.counts, { removed: 20_000, added: 20_000, changed: 0 })
    assert.equal(difference.rows.length, differenceLimits.rows)
    assert.equal(difference.rowsLeftOut, 40_000 - differenceLimits.rows)
  })

  test('what both share at the ends is shared even then', () => {
    const left = ['start', ...many(5_000, 'left'), 'end']
    const right = ['start', ...many(5_000, 'right'), 'end']
    const { rows, isCoarse } = textDifference(left, right, { ...differenceLimits, rows: 100_000 })
    assert(isCoarse)
    assert.deepEqual(
      [rows[0], rows.at(-1)],
      [
        { kind: 'same', text: 'start' },
        { kind: 'same', text: 'end' },
      ],
    )
  })

  test('a line changed beyond the limit is marked as a whole', () => {
    const start = many(60, 'shared').join(' ')
    const limits = { ...differenceLimits, wordEdits: 10 }
    const { rows } = textDifference([`${start} ${many(20, 'a')}`], [`${start} ${many(20, 'b')}`], limits)
    assert(rows[0]?.kind === 'changed')
    assert.deepEqual(
      rows[0].left.map(({ isMarked }) => isMarked),
      [true],
    )
  })
})

test('after enough words, pairs of lines are marked as a whole', () => {
  const left = Array.from({ length: 9 }, (_, index) => `line ${index} has one old word`)
  const right = left.map((line) => line.replace('old', 'new'))
  const { rows } = textDifference(left, right, { ...differenceLimits, wordEditsInAll: 8 })
  const wholes = rows.map((row) => row.kind === 'changed' && row.left.length === 1)
  assert.deepEqual(wholes, [false, false, false, false, true, true, true, true, true])
})

describe('of any texts', () => {
  testProperties(properties, 200)
})
