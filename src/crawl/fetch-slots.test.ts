import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type FetchSlot, FetchSlots } from './fetch-slots.ts'

test('a visit has its hand until it waits for others, and does not take it again', async () => {
  let rings = 0
  const fetchSlots = new FetchSlots(1, () => rings++)
  const first = fetchSlots.take()
  assert.equal(fetchSlots.areFree, false)
  const others = Promise.withResolvers<string>()
  const waiting = first.untilOthers(others.promise)
  assert.equal(fetchSlots.areFree, true)
  assert.equal(rings, 1)
  const second = fetchSlots.take()
  others.resolve('kept')
  assert.equal(await waiting, 'kept')
  await first.untilOthers(Promise.resolve())
  first.end()
  assert.equal(fetchSlots.areFree, false)
  second.end()
  assert.equal(fetchSlots.areFree, true)
})

/** As many as can be had, each with this done to it. */
function taken(fetchSlots: FetchSlots, then: (fetchSlot: FetchSlot) => void): FetchSlot[] {
  const all: FetchSlot[] = []
  while (fetchSlots.areFree && all.length < 10_000) {
    all.push(fetchSlots.take())
    then(all.at(-1)!)
  }
  return all
}

test('no more than so many wait for others', () => {
  const fetchSlots = new FetchSlots(1)
  const waiting = taken(fetchSlots, (fetchSlot) => void fetchSlot.untilOthers(new Promise(() => {})))
  assert.equal(waiting.length, 2_000)
  waiting[0]!.end()
  assert.equal(fetchSlots.areFree, true)
})

test('who was answered needs no hand, as long as not too many are being read and kept', () => {
  const fetchSlots = new FetchSlots(2)
  const all = taken(fetchSlots, (fetchSlot) => fetchSlot.answered())
  assert.equal(all.length, 64 + 2)
  for (const fetchSlot of all) fetchSlot.end()
  assert.equal(fetchSlots.areFree, true)
  assert.equal(taken(fetchSlots, (fetchSlot) => fetchSlot.answered()).length, 64 + 2)
})
