import assert from 'node:assert/strict'
import { test } from 'vitest'
import { textDifference } from '../../../changes/page-change/difference/text-difference.ts'
import { inlineDifference } from './inline-difference.ts'

const shown = (left: string[], right: string[]) => String(inlineDifference(textDifference(left, right)))

test('words that changed stand where they stood', () => {
  assert.equal(
    shown(['same', 'the quick fox'], ['same', 'the slow fox runs']),
    '<ul class="inline-difference"><li dir="auto">the <del>quick</del><ins>slow</ins> fox<ins> runs</ins></li></ul>',
  )
})

test('lines that came and went, escaped, and how many more', () => {
  assert.match(shown(['a'], ['a', '<b>']), /<li dir="auto"><ins>&lt;b&gt;<\/ins><\/li>/)
  const many = Array.from({ length: 9 }, (_, at) => `${at} line`)
  assert.match(shown([], many), /and 4 more passages/)
})

test('a long line is shown around its change', () => {
  const long = 'word '.repeat(100)
  const text = shown([`${long}old`], [`${long}new`])
  assert(text.length < 300)
  assert.match(text, / … .*<del>old<\/del><ins>new<\/ins>/)
})
