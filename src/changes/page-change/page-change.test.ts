import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { anyBytes, anyPages } from './page-change.fuzz.ts'
import { type PageVersion, versionDifference } from './page-change.ts'

const version = (text: string, contentType = 'text/html'): PageVersion => ({
  text,
  bytes: text.length,
  contentType,
  url: 'https://a.example/',
  capturedAtMs: 0,
})

test('words, links, titles and sizes', () => {
  const change = versionDifference(
    version('<title>Old</title><p>one two three four</p><a href=/x>gone</a>'),
    version('<title>New</title><p>one two three five</p><a href=/y>come</a><a href=/z>more</a>'),
  ).change
  assert.deepEqual(
    { ...change, wordShare: 0 },
    {
      wordShare: 0,
      linksAdded: 2,
      linksRemoved: 1,
      titleBefore: 'Old',
      title: 'New',
      bytesBefore: 62,
      bytes: 81,
    },
  )
  assert.equal(change.wordShare, 0.4)
})

test('the same words are no share, other words are all', () => {
  assert.equal(versionDifference(version('<p>a b'), version('<p class=x>a b')).change.wordShare, 0)
  assert.equal(versionDifference(version('<p>a b'), version('<p>c d')).change.wordShare, 1)
  assert.equal(versionDifference(version(''), version('')).change.wordShare, 0)
})

test('a text that was written anew is told coarsely, by the words that both have', () => {
  const lines = (offset: number) =>
    Array.from({ length: 2_000 }, (_, at) => `same${at % 7} word${at + offset}`).join('\n')
  const { wordShare } = versionDifference(
    version(lines(0), 'text/plain'),
    version(lines(1_000_000), 'text/plain'),
  ).change
  assert.equal(wordShare, 0.5)
})

test('a part that moved is more than its blocks tell', () => {
  const [one, two] = ['<div class=left><p>one</div>', '<div class=right><p>two</div>']
  const { blocks, isMore } = versionDifference(version(one + two), version(two + one))
  assert.deepEqual([blocks.length, isMore], [0, true])
})

test('beyond the limit nothing is looked at, and that is told', () => {
  const long = 'x '.repeat(600_000)
  assert(versionDifference(version(`${long}a`), version(`${long}b`)).isMore)
})

test.each([
  ['open tags', '<div>'],
  ['attributes', '<a '.concat('b=c '.repeat(9))],
  ['paragraphs with classes', '<p class=x1 id=y2>12:30 1234 €'],
  ['quotes in scripts', '<script>"\'"\'</script>'],
])('50 kB of nothing but %s is compared in one go', (_, piece) => {
  const text = piece.repeat(50_000 / piece.length)
  versionDifference(version(text), version(`x${text}y`))
})

describe('of any pages', () => {
  test(anyPages.name, () => fc.assert(anyPages.property, { numRuns: 100, seed: 1 }))
  test(anyBytes.name, () => fc.assert(anyBytes.property, { numRuns: 100, seed: 1 }))
})
