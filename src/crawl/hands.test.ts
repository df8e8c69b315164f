import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Hands } from './hands.ts'

test('a visit has its hand until it waits for others, and does not take it again', async () => {
  let rings = 0
  const hands = new Hands(1, () => rings++)
  const first = hands.take()
  assert.equal(hands.areFree, false)
  const others = Promise.withResolvers<string>()
  const waiting = first.untilOthers(others.promise)
  assert.equal(hands.areFree, true)
  assert.equal(rings, 1)
  const second = hands.take()
  others.resolve('kept')
  assert.equal(await waiting, 'kept')
  await first.untilOthers(Promise.resolve())
  first.end()
  assert.equal(hands.areFree, false)
  second.end()
  assert.equal(hands.areFree, true)
})

test('no more than so many wait for others', () => {
  const hands = new Hands(1)
  const waiting = []
  while (hands.areFree && waiting.length < 10_000) {
    const hand = hands.take()
    void hand.untilOthers(new Promise(() => {}))
    waiting.push(hand)
  }
  assert.equal(waiting.length, 2_000)
  waiting[0]!.end()
  assert.equal(hands.areFree, true)
})
