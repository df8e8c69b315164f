import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { RingKey } from '../../src/model/ring-key.ts'
import type { Position } from '../../src/network/ring/position.ts'
import { LivePlaces } from './live-places.ts'
import { scaleScenario } from './scenario.ts'

const key = (digit: string): RingKey => digit.repeat(40) as RingKey

/** A position as far as its tenure matters. */
function positionAt(digit: string, owns = true): Position {
  return { machine: { self: { place: key(digit) } }, owns: () => owns } as unknown as Position
}

function placesAt(...digits: string[]): LivePlaces {
  const live = new LivePlaces()
  for (const digit of digits) live.joined(positionAt(digit))
  live.update(0)
  return live
}

describe('the owner of a key, by who sees all', () => {
  test('is the first at or after it, round the ring', () => {
    const live = placesAt('3', '7', 'b')
    assert.equal(live.wasOwner(key('7'), key('4'), 10), true)
    assert.equal(live.wasOwner(key('b'), key('4'), 10), false)
    assert.equal(live.wasOwner(key('3'), key('c'), 10), true)
    assert.equal(live.wasOwner(key('7'), key('7'), 10), true)
  })

  test('may be one that has died since, or has come since, or the one before', () => {
    const live = placesAt('3', '7', 'b')
    live.died(positionAt('7'), 20)
    assert.equal(live.wasOwner(key('7'), key('4'), 10), true)
    assert.equal(live.wasOwner(key('7'), key('4'), 30), false)
    assert.equal(live.wasOwner(key('b'), key('4'), 10), true)
    live.joined(positionAt('5'))
    live.update(40)
    assert.equal(live.wasOwner(key('5'), key('4'), 30), true)
    assert.equal(live.wasOwner(key('b'), key('4'), 30), true)
    assert.equal(live.wasOwner(key('b'), key('4'), 50), false)
  })

  test('is nobody that was not given its arc yet', () => {
    const live = placesAt('3', '7')
    live.joined(positionAt('5', false))
    live.update(20)
    assert.equal(live.wasOwner(key('5'), key('4'), 30), false)
    assert.equal(live.wasOwner(key('7'), key('4'), 30), true)
  })
})

test('a ring in churn answers rightly and heals when a tenth leaves, the same for the same seed', async () => {
  const options = { peers: '30', minutes: '1', churn: '3', lookups: '4' }
  const first = await scaleScenario.run('1', options)
  assert.equal(first.wrong, 0)
  assert(Number(first.unanswered) <= Number(first.lookups) / 50, JSON.stringify(first))
  assert(Number(first.lookups) > 300, JSON.stringify(first))
  assert(Number(first.deaths) > 5, JSON.stringify(first))
  assert.deepEqual(await scaleScenario.run('1', options), first)
})
