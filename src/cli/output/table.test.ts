import assert from 'node:assert/strict'
import stringWidth from 'string-width'
import { describe, test } from 'vitest'
import wrapAnsi from 'wrap-ansi'
import { formatTable } from './table.ts'

describe('tables', () => {
  test('columns are as wide as what they hold, in any script', () => {
    const rows = [
      ['日本語', '1'],
      ['plain text', '2'],
      ['', '3'],
    ]
    assert.equal(
      formatTable(['name', 'n'], rows, 80),
      ['NAME        N', '日本語      1', 'plain text  2', '            3'].join('\n'),
    )
  })

  test('cells that do not fit are wrapped, and control characters shown', () => {
    assert.equal(
      formatTable(['a', 'b'], [['one two three four', '\u001b[31m']], 20),
      ['A           B', 'one two     \\x1b[31m', 'three four'].join('\n'),
    )
  })

  test.each(['', 'a', 'http://a.test/?q=~', 'one two', '!"#$%&()', ' x', 'two  spaces', 'end '])(
    'plain text %j is laid out as any text is',
    (cell) => {
      const [, line] = formatTable(['h'.repeat(12)], [[cell]], 80).split('\n')
      const expected = wrapAnsi(cell, Math.max(12, stringWidth(cell)), { hard: true })
      assert.equal(line, expected.trimEnd())
    },
  )
})
