// What must hold of every attribute, whatever stands in it.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { decodeAttribute } from './character-references.ts'
import { hostileMarkup } from './fixtures/hostile-markup.ts'
import { urlsOfSrcset } from './srcset.ts'

const referencePieces = [
  '&',
  'amp',
  ';',
  '#',
  'x',
  '41',
  'copy',
  'eacute',
  '=',
  'a',
  '"',
  "'",
  '<',
  'é',
  '\0',
]

export const properties = [
  {
    name: 'character references decode as the parser decodes them',
    property: fc.property(fc.array(fc.constantFrom(...referencePieces)), (pieces) => {
      const value = pieces.join('')
      let expected: string | undefined
      const parser = new Parser({ onattribute: (_name, decoded) => (expected = decoded) })
      parser.end(`<a b="${value.replaceAll('"', '&quot;')}">`)
      assert.equal(decodeAttribute(value), expected)
    }),
  },
  {
    name: 'any text is a srcset, whose URLs have no white space and stand where they are said to',
    property: fc.property(hostileMarkup([',', '(', ' 1x,', 'a.png'], 40), (text) => {
      for (const { url, start } of urlsOfSrcset(text)) {
        assert.match(url, /^[^\t\n\f\r ]+$/)
        assert.equal(text.slice(start, start + url.length), url)
      }
    }),
  },
]
