import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Hands } from './hands.ts'

const none = (): number => 0

test('no more hosts are asked at once than wanted', () => {
  const hands = new Hands(2, none)
  const first = hands.take()
  assert.equal(hands.isFree, true)
  hands.take()
  assert.equal(hands.isFree, false)
  first.end()
  assert.equal(hands.isFree, true)
})

test('a host that has answered makes room for the next, before its answer is kept', () => {
  const hands = new Hands(1, none)
  const hand = hands.take()
  hand.answered()
  assert.equal(hands.isFree, true)
  hands.take()
  assert.equal(hands.isFree, false)
  hand.end()
  assert.equal(hands.isFree, false)
})

test('a visit that is told of twice counts once', () => {
  const hands = new Hands(1, none)
  const hand = hands.take()
  hand.answered()
  hand.answered()
  hand.end()
  hand.end()
  hands.take()
  assert.equal(hands.isFree, false)
})

test('when too many answers wait to be kept, no further host is asked, unless they only wait for others', () => {
  let waiting = 0
  const hands = new Hands(1, () => waiting)
  const answered = Array.from({ length: 64 }, () => {
    const hand = hands.take()
    hand.answered()
    return hand
  })
  assert.equal(hands.isFree, false)
  waiting = 1
  assert.equal(hands.isFree, true)
  waiting = 0
  answered[0]!.end()
  assert.equal(hands.isFree, true)
})
