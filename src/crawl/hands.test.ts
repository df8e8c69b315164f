import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Hand, Hands } from './hands.ts'

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

/** As many as can be had, each with this done to it. */
function taken(hands: Hands, then: (hand: Hand) => void): Hand[] {
  const all: Hand[] = []
  while (hands.areFree && all.length < 10_000) {
    all.push(hands.take())
    then(all.at(-1)!)
  }
  return all
}

test('no more than so many wait for others', () => {
  const hands = new Hands(1)
  const waiting = taken(hands, (hand) => void hand.untilOthers(new Promise(() => {})))
  assert.equal(waiting.length, 2_000)
  waiting[0]!.end()
  assert.equal(hands.areFree, true)
})

test('who was answered needs no hand, as long as not too many are being read and kept', () => {
  const hands = new Hands(2)
  const all = taken(hands, (hand) => hand.answered())
  assert.equal(all.length, 64 + 2)
  for (const hand of all) hand.end()
  assert.equal(hands.areFree, true)
  assert.equal(taken(hands, (hand) => hand.answered()).length, 64 + 2)
})
