import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './parse-query.fuzz.ts'
import { parseQuery } from './parse-query.ts'

function read(text: string): string {
  const { clauses } = parseQuery(text)
  return clauses
    .map(({ alternatives, isExcluded }) => {
      const units = alternatives.map(({ kind, words }) => `${kind}(${words.join(' ')})`)
      return `${isExcluded ? 'not ' : ''}${units.join(' or ')}`
    })
    .join(', ')
}

describe('a query as people type it', () => {
  test.each([
    ['Garden herbs', 'word(garden), word(herbs)'],
    ['"to be" or not', 'phrase(to be), word(or), word(not)'],
    ['cat OR dog food', 'word(cat) or word(dog), word(food)'],
    ['cat | "big dog"', 'word(cat) or phrase(big dog)'],
    ['jaguar -car -"sports club"', 'word(jaguar), not word(car), not phrase(sports club)'],
    ['site:https://WWW.Example.org/a flood', 'site(www.example.org), word(flood)'],
    ['site:.bücher.example x', 'site(xn--bcher-kva.example), word(x)'],
    ['title:"annual report" url:2019/06', 'title(annual report), url(2019 06)'],
    ['lang:DE type:PDF x -type:txt', 'lang(de), type(pdf), word(x), not type(text)'],
    ['e-mail', 'phrase(e mail)'],
    ['東京都', 'phrase(東京 都)'],
    ['10:30 http://example.org/', 'phrase(10 30), word(http), word(example), word(org)'],
    ['"no end', 'phrase(no end)'],
    ['OR x OR', 'word(x)'],
    ["dog's O’Neill", "word(dog), word(o'neill)"],
    ['site:example.org', 'site(example.org)'],
  ])('%s', (text, meaning) => {
    assert.equal(read(text), meaning)
  })

  test('times are years, months, days or moments', () => {
    const at = (text: string) => parseQuery(`x ${text}`).time
    assert.deepEqual(at(''), { kind: 'newest' })
    assert.deepEqual(at('at:2020-05-01'), { kind: 'at', atMs: Date.UTC(2020, 4, 2) - 1 })
    assert.deepEqual(at('after:2020 before:202105'), {
      kind: 'between',
      fromMs: Date.UTC(2020, 0),
      toMs: Date.UTC(2021, 4),
    })
    assert.deepEqual(at('at:ever'), {
      kind: 'between',
      fromMs: Number.NEGATIVE_INFINITY,
      toMs: Number.POSITIVE_INFINITY,
    })
  })

  test.each([
    ['', /what to look for/],
    ['-x', /what to look for as well/],
    ['x at:soon', /at:2020/],
    ['x at:2020 before:2021', /neither before: nor after:/],
    ['x after:2021 before:2020', /Exchange/],
    ['x before:2020 before:2021', /twice/],
    ['x lang:german', /two letters/],
    ['x type:moon', /html, text, pdf/],
    ['site: x', /site:example.org/],
    ['title: x', /title:example/],
    ['x at:20201', /at:2020/],
  ])('%s says what is wrong', (text, message) => {
    assert.throws(() => parseQuery(text), { code: 'search-bad-query', message })
  })
})

testProperties(properties, 200)
