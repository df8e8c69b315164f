import { expect, test } from 'vitest'
import { printTable } from './measure.ts'
import { figuresOf } from './printed-figures.ts'

test('every figure of a printed table is found by its row and column, whatever is printed around it', () => {
  const table = printTable(
    ['contender', 'pages/s', 'memory MB'],
    [
      ['ours, gzip', '1,383.5', '245'],
      ['wget', '778', '-'],
    ],
  )
  expect(figuresOf(`20 hosts\n${table}\n\nthe end`)).toEqual(
    new Map([
      ['ours, gzip, pages/s', 1_383.5],
      ['ours, gzip, memory MB', 245],
      ['wget, pages/s', 778],
    ]),
  )
})
