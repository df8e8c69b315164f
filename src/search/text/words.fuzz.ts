// What must hold of the words of every text: going through it by characters finds what the pattern finds.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ByteTable } from '../packing/byte-table.ts'
import { wordsIn } from './words.ts'

const pattern = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const pieces = [
  ...['a', 'Z', '9', 'word', "dog's", 'O’Neill', "'", '’', ' ', '\n', '-', '.', '_', 'x'.repeat(70)],
  ...[
    'é',
    'e\u0301',
    'ß',
    'İ',
    'ǅ',
    'Ж',
    'ﬁ',
    '\u00a0',
    '\ud800',
    '\udc00',
    '💾',
    '𝔘',
    '–',
    '東京',
    'ไทย',
    '٣',
  ],
]
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))

export const properties = [
  {
    name: 'words stand where the pattern finds them, in lower case',
    property: fc.property(text, (some) => {
      const runs = [...some.matchAll(pattern)].filter(({ 0: run }) => !unspaced.test(run))
      const found = wordsIn(some)
      for (const { 0: run, index } of runs) {
        const word = found.find(({ start }) => start === index)
        assert.equal(word?.end, index + run.length)
        const lower = run.slice(0, 64).toWellFormed().toLowerCase().normalize('NFKC').toLowerCase()
        assert.equal(word?.word, lower.replace(/(?<=.)['’]s$/, '').replaceAll('’', "'"))
      }
      for (const { start, end } of found)
        assert(
          [...some.matchAll(pattern)].some(
            ({ 0: run, index }) => index <= start && end <= index + run.length,
          ),
        )
    }),
  },
  {
    name: 'strings of bytes have one number each, however many there are',
    property: fc.property(fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 2_000 }), (strings) => {
      const table = new ByteTable()
      const numbers = new Map<string, number>()
      for (const bytes of strings) {
        const name = Buffer.from(bytes).toString('latin1')
        const number = table.numberOf(bytes, 0, bytes.length)
        assert.equal(number, numbers.get(name) ?? numbers.size)
        numbers.set(name, number)
        assert.equal(table.text(number, 'latin1'), name)
      }
      assert.equal(table.count, numbers.size)
    }),
  },
]
