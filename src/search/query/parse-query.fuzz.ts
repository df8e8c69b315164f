// What must hold of every text that somebody types into the search field.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { SearchError } from '../search-error.ts'
import { parseQuery, queryCharsMax, unitsMax } from './parse-query.ts'
import { prepare } from './searching.ts'

const pieces = [
  ...[
    'site:',
    'url:',
    'title:',
    'lang:',
    'type:',
    'before:',
    'after:',
    'at:',
    '-',
    'OR',
    '|',
    '"',
    '“',
    ' ',
    '  ',
  ],
  ...[
    'a',
    'herbs',
    '東京',
    'e-mail',
    '2020',
    '2020-05-01',
    'example.org',
    'de',
    'pdf',
    ':',
    '(',
    ')',
    '*',
    '\u0001',
  ],
  ...[
    "'",
    '\\',
    ';',
    'NEAR',
    'AND',
    'NOT',
    '{',
    '}',
    '^',
    '+',
    '\n',
    '\u0000',
    '\ud800',
    '💾',
    'ǅ',
    'ß',
    '%',
  ],
]
const query = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
)

export const properties = [
  {
    name: 'a query is understood, or refused with a sentence that says what is wrong',
    property: fc.property(query, (text) => {
      try {
        const { clauses } = parseQuery(text)
        assert(clauses.some(({ isExcluded }) => !isExcluded))
        const units = clauses.flatMap(({ alternatives }) => alternatives)
        assert(units.length > 0 && units.length <= unitsMax)
        assert(units.every(({ words }) => words.length > 0 && words.every((word) => word !== '')))
      } catch (error) {
        assert(error instanceof SearchError, String(error))
        assert.equal(error.code, 'search-bad-query')
        assert.match(error.message, /[.a-z]$/)
      }
    }),
  },
  {
    name: 'no word of a query reaches into the terms of a field',
    property: fc.property(fc.stringMatching(/^[\u0001a-z: ]{1,40}$/), (text) => {
      try {
        const { clauses, scored } = prepare({ text: `x ${text}`, limit: 10 })
        assert(clauses.length > 0)
        const terms = scored.flat().map(({ term }) => term)
        const plain = terms.filter((term) => !/^\u0001(?:title|url):/.test(term))
        assert(plain.every((term) => !term.includes('\u0001')))
      } catch (error) {
        assert(error instanceof SearchError, String(error))
      }
    }),
  },
  {
    name: 'a query of any length costs a bounded amount of work',
    property: fc.property(fc.nat({ max: 3 }), (kind) => {
      const long = [
        'word '.repeat(200_000),
        '"'.repeat(1_000_000),
        'a:'.repeat(500_000),
        'x'.repeat(1_000_000),
      ][kind]!
      assert.throws(() => parseQuery(long), { code: 'search-bad-query' })
      assert.throws(() => parseQuery('w '.repeat(queryCharsMax / 2)), { code: 'search-bad-query' })
    }),
  },
]
