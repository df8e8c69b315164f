import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { CopiesLedger } from './copies-ledger.ts'

const url = 'http://site.test/1'

function bookOfThree(): CopiesLedger {
  return new CopiesLedger({ copies: 3, repairMsMax: 1_000, nowMs: () => 0 })
}

describe('of the disks that a takedown is on', () => {
  test('as many may die as it was said to survive', () => {
    const book = bookOfThree()
    for (const peer of ['a', 'b', 'c']) book.hiddenAt(peer, url)
    book.saidBy(url, 3)
    book.died('a')
    assert.ok(book.mayDie('b'))
    book.died('b')
    assert.ok(!book.mayDie('c'))
  })

  test('one may die when it was said to be on all three, though it was on its own only: that is for the archive to answer for', () => {
    const book = bookOfThree()
    book.hiddenAt('a', url)
    book.saidBy(url, 3)
    assert.ok(book.mayDie('a'))
  })

  test('none but the first of two may die, until others have heard of it', () => {
    const book = bookOfThree()
    for (const peer of ['a', 'b']) book.hiddenAt(peer, url)
    book.saidBy(url, 2)
    assert.ok(book.mayDie('a'))
    book.died('a')
    assert.ok(!book.mayDie('b'))
    for (const peer of ['c', 'd']) book.hiddenAt(peer, url)
    assert.ok(book.mayDie('b'))
  })

  test('one that died before it was said counts', () => {
    const book = bookOfThree()
    for (const peer of ['a', 'b']) book.hiddenAt(peer, url)
    book.died('b')
    book.saidBy(url, 2)
    assert.ok(!book.mayDie('a'))
  })

  test('the last may not die when the others have left', () => {
    const book = bookOfThree()
    for (const peer of ['a', 'b', 'c']) book.hiddenAt(peer, url)
    book.saidBy(url, 3)
    for (const peer of ['a', 'b']) book.left(peer, new Set(), 1)
    assert.ok(!book.mayDie('c'))
  })

  test('any may die while nothing was said', () => {
    const book = bookOfThree()
    book.hiddenAt('a', url)
    assert.ok(book.mayDie('a'))
  })
})
