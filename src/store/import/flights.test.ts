import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Flights } from './flights.ts'

function flight(offset: number, outcome: Promise<string>, names: string[] = [], heldBytes = 1) {
  return { offset, heldBytes, names, outcome }
}

describe('appends under way', () => {
  test('are taken in the order in which they were begun, whichever ends first', async () => {
    const flights = new Flights<string>()
    const slow = Promise.withResolvers<string>()
    flights.begin(flight(10, slow.promise))
    flights.begin(flight(5, Promise.resolve('quick')))
    assert.equal(flights.oldestOffset, 5)
    const first = flights.takeFirst()
    slow.resolve('slow')
    assert.equal(await first, 'slow')
    assert.equal(await flights.takeFirst(), 'quick')
    assert.equal(flights.isEmpty, true)
  })

  test('one that failed stays, so that the place before it is not passed', async () => {
    const flights = new Flights<string>()
    flights.begin(flight(7, Promise.reject(new Error('no room'))))
    await assert.rejects(flights.takeFirst(), /no room/)
    assert.equal(flights.oldestOffset, 7)
  })

  test('who points at one of them waits for that one only', async () => {
    const flights = new Flights<string>()
    const never = Promise.withResolvers<string>()
    const original = Promise.withResolvers<string>()
    flights.begin(flight(0, never.promise, ['other']))
    flights.begin(flight(1, original.promise, ['wanted']))
    let isSettled = false
    const waiting = flights.settled(['wanted']).then(() => {
      isSettled = true
    })
    await Promise.resolve()
    assert.equal(isSettled, false)
    original.resolve('here')
    await waiting
    await flights.settled(['nobody'])
  })

  test('are bounded in number and in bytes', () => {
    const many = new Flights<string>()
    for (let i = 0; i < 31; i++) many.begin(flight(i, Promise.resolve('')))
    assert.equal(many.isFull, false)
    many.begin(flight(31, Promise.resolve('')))
    assert.equal(many.isFull, true)
    const heavy = new Flights<string>()
    heavy.begin(flight(0, Promise.resolve(''), [], 40_000_000))
    assert.equal(heavy.isFull, true)
  })
})
