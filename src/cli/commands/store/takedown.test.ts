import assert from 'node:assert/strict'
import { test } from 'vitest'
import { unheardLine } from './takedown.ts'

test('peers that did not confirm a takedown are named, not too many of them', () => {
  assert.equal(
    unheardLine(['one']),
    'A peer of the network did not confirm it, and may show the captures until it hears of it: one',
  )
  const many = unheardLine(Array.from({ length: 12 }, (_, count) => `peer-${count}`))
  assert.match(many, /^12 peers of the network .* until they hear of it: peer-0, .*peer-9, and 2 more$/)
})
