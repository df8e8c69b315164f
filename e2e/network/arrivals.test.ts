import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Arrival, breachesOf } from './arrivals.ts'

const delayMs = 200
const arrival = (agent: string, atMs: number, endedAtMs: number, address = '127.1.1.1'): Arrival => ({
  agent,
  address,
  path: '/',
  atMs,
  endedAtMs,
})

test('those who wait for the end and the delay may come, also to other sites meanwhile', () => {
  const arrivals = [
    arrival('a', 0, 50),
    arrival('b', 20, 70, '127.1.1.2'),
    arrival('b', 250, 300),
    arrival('b', 500, 510),
  ]
  assert.deepEqual(breachesOf(arrivals, delayMs), [])
})

test('two at once are found, also behind a shorter one', () => {
  const arrivals = [arrival('a', 0, 1_000), arrival('a', 100, 110), arrival('b', 700, 710)]
  const breaches = breachesOf(arrivals, delayMs)
  assert.match(breaches[0]!, /^one peer twice at once/)
  assert.match(breaches[1]!, /^two peers at once: b asked/)
  assert.equal(breaches.length, 2)
})

test('one that comes too soon is found, whoever it is, in whatever order it was noted', () => {
  const arrivals = [arrival('b', 240, 300), arrival('a', 0, 50), arrival('b', 499, 510)]
  assert.match(
    breachesOf(arrivals, delayMs).join('\n'),
    /^too soon: b .* 190\.0 ms after its end instead of 200$/,
  )
})
