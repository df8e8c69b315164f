import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PatternRefused } from '../../../model/linear-pattern.ts'
import { WatchError } from './watch-error.ts'
import { type Watch, type WatchedPage, WatchedPart } from './watched-part.ts'

const page = (text: string, contentType = 'text/html') => ({ text, contentType, url: 'https://a.example/' })
const watch = (facts: Partial<Watch> = {}): Watch => ({
  part: { kind: 'page' },
  ignoreSelectors: [],
  ignorePatterns: [],
  leastShare: 0,
  ...facts,
})
const selecting = (selector: string, facts: Partial<Watch> = {}) =>
  watch({ part: { kind: 'selector', selector }, ...facts })

const watchedText = (of: WatchedPage, by: Watch) => new WatchedPart(by).lines(of)?.join('\n') ?? ''
const changeOfWatched = (before: WatchedPage, after: WatchedPage, by: Watch) =>
  new WatchedPart(by).change(before, after)

const shop = `<nav>Home</nav><div id=product><h2>Shoe</h2><p class="price now">19 €</p><p>Seen 12 times</p></div><footer>Imprint</footer>`

test('a selector says what is watched', () => {
  assert.equal(watchedText(page(shop), selecting('#product > .price')), '19 €')
  assert.equal(watchedText(page(shop), selecting('#product, #product h2')), 'Shoe\n19 €\nSeen 12 times')
  assert.equal(watchedText(page(shop), selecting('p:nth-of-type(2)')), 'Seen 12 times')
  assert.equal(watchedText(page(shop), selecting('.none')), '')
})

test('what is to be ignored is left out', () => {
  const ignoring = watch({ ignoreSelectors: ['nav', 'footer'], ignorePatterns: ['Seen \\d+ times', '^Sh'] })
  assert.equal(watchedText(page(shop), ignoring), 'oe\n19 €')
})

test('the main text is where most is said', () => {
  const text = 'A sentence of some length that says what this page is about. '.repeat(5)
  const main = watch({ part: { kind: 'main-text' } })
  const stated = `<header>Site</header><main><h1>Head</h1><p>${text}</p><div class="related-box">More</div></main><aside>Ad</aside>`
  assert.equal(watchedText(page(stated), main), `Head\n${text.trim()}`)
  const guessed = `<div class=a><ul><li><a href=/x>One</a><li><a href=/y>Two</a></ul></div><div class=b><h1>Head</h1><p>${text}</p><p>${text}</p></div>`
  assert.equal(watchedText(page(guessed), main), `Head\n${text.trim()}\n${text.trim()}`)
  assert.equal(watchedText(page('<b>hardly anything</b>'), main), 'hardly anything')
})

test('a change counts from the least share on, and always when the part is gone', () => {
  const long = (word: string) => page(`<p id=x>${'same '.repeat(99)}${word}`)
  const small = changeOfWatched(long('old'), long('new'), selecting('#x', { leastShare: 0.05 }))
  assert.deepEqual([small.isChanged, small.isEnough, small.wordShare], [true, false, 0.01])
  assert(changeOfWatched(long('old'), long('new'), selecting('#x', { leastShare: 0.01 })).isEnough)
  const gone = changeOfWatched(long('old'), page('<p>x'), selecting('#x', { leastShare: 0.9 }))
  assert.deepEqual([gone.isFoundBefore, gone.isFound, gone.isEnough], [true, false, true])
  const other = changeOfWatched(page(shop), page(`${shop}!`), selecting('.price'))
  assert.deepEqual([other.isChanged, other.wordShare], [false, 0])
})

test('text that is no markup has lines and nothing to select', () => {
  assert.equal(watchedText(page('a\nb', 'text/plain'), watch()), 'a\nb')
  assert.equal(watchedText(page('a\nb', 'text/plain'), selecting('p')), '')
})

describe('what cannot be used', () => {
  const errorOf = (facts: Partial<Watch>): unknown => {
    try {
      new WatchedPart(watch(facts))
    } catch (error) {
      return error
    }
    return undefined
  }

  test.each(['div[', 'p:nope', '', '> >'])('%j is no selector, and the reason is told', (selector) => {
    const error = errorOf({ part: { kind: 'selector', selector } })
    assert(error instanceof WatchError && error.code === 'selector-malformed')
    assert.match(error.message, /cannot be used: \S/)
  })

  test('too long a selector, a bad pattern, too many rules', () => {
    const long = errorOf({ part: { kind: 'selector', selector: '* '.repeat(100) } })
    assert(long instanceof WatchError && long.code === 'selector-too-long')
    assert(errorOf({ ignorePatterns: ['('] }) instanceof PatternRefused)
    const many = errorOf({ ignorePatterns: Array(21).fill('a') })
    assert(many instanceof WatchError && many.code === 'too-many-ignore-rules')
  })
})

test.each([
  ['open tags', '<div>'],
  ['links in lists', '<ul><li><a href=x>'],
])('a megabyte of nothing but %s is read in one go', (_, piece) => {
  const text = piece.repeat(1_000_000 / piece.length)
  for (const kind of ['page', 'main-text'] as const) watchedText(page(text), watch({ part: { kind } }))
  watchedText(page(text), selecting('* * * * a:not(.b)'))
})
