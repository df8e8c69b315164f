import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './kept-change.fuzz.ts'
import { type Fill, placesMin, planStep } from './place-plan.ts'
import { properties as questionProperties } from './wire/questions.fuzz.ts'

const terms = { band: 0.1, gainMin: 0.005 }

function fillsOf(kept: Record<string, number>, weights: Record<string, number> = {}): Map<string, Fill> {
  return new Map(
    Object.entries(kept).map(([peer, bytes]) => [peer, { kept: bytes, weight: weights[peer] ?? 1 }]),
  )
}

function changing(index: number, bytes: Record<string, number>) {
  return { index, changes: new Map(Object.entries(bytes)) }
}

describe('the plan of places', () => {
  testProperties(properties, 100)
  testProperties(questionProperties, 100)

  test('who is empty takes the place that relieves the fullest', () => {
    const fills = fillsOf({ us: 50, full: 150, other: 100 })
    const others = [changing(3, { us: 40, other: -40 }), changing(7, { us: 40, full: -40 })]
    assert.deepEqual(planStep({ self: 'us', fills, own: [], others, taken: 1 }, terms), {
      kind: 'take',
      index: 7,
    })
  })

  test('who is full gives up a place, but not the only one: that it exchanges', () => {
    const fills = fillsOf({ us: 150, empty: 50, other: 100 })
    const [first, second] = [changing(0, { us: -150, empty: 150 }), changing(5, { us: -40, empty: 40 })]
    const situation = { self: 'us', fills, own: [first, second], others: [], taken: 2 }
    assert.deepEqual(planStep(situation, terms), { kind: 'give', index: 5 })
    assert.equal(planStep({ self: 'us', fills, own: [second], others: [], taken: 1 }, terms), undefined)
    const others = [changing(9, { us: 5, other: -5 })]
    assert.deepEqual(planStep({ self: 'us', fills, own: [second], others, taken: 1 }, terms), {
      ...{ kind: 'take', index: 9, instead: 5 },
    })
  })

  test('half of what a peer gives stays, however empty the others say they are', () => {
    const fills = fillsOf({ us: 160, one: 80, another: 10, third: 10 }, { us: 8, one: 8 })
    const own = [changing(2, { us: -40, one: 40 })]
    assert.equal(placesMin(8), 4)
    assert.equal(planStep({ self: 'us', fills, own, others: [], taken: 4 }, terms), undefined)
    assert.deepEqual(planStep({ self: 'us', fills, own, others: [], taken: 5 }, terms), {
      ...{ kind: 'give', index: 2 },
    })
  })

  test('who is full by its own count takes nothing for others that say they are fuller', () => {
    const fills = fillsOf({ us: 150, liar: 100_000, one: 100, another: 100, third: 100 })
    const others = [changing(3, { us: 1, liar: -300 })]
    assert.equal(planStep({ self: 'us', fills, own: [], others, taken: 1 }, terms), undefined)
    fills.set('us', { kept: 100, weight: 1 })
    assert.deepEqual(planStep({ self: 'us', fills, own: [], others, taken: 1 }, terms), {
      ...{ kind: 'take', index: 3 },
    })
  })

  test('nobody moves anything where all keep about as much for what they give', () => {
    const fills = fillsOf({ us: 95, large: 1_600, other: 105 }, { large: 16 })
    const own = [changing(0, { us: -5, other: 5 }), changing(1, { us: -5, large: 5 })]
    const others = [changing(2, { us: 5, other: -5 })]
    assert.equal(planStep({ self: 'us', fills, own, others, taken: 2 }, terms), undefined)
  })

  test('what a large peer keeps counts by its share', () => {
    const fills = fillsOf({ us: 100, large: 800, other: 50 }, { large: 16 })
    const own = [changing(0, { us: -40, large: 40 }), changing(1, { us: -40, other: 40 })]
    assert.deepEqual(planStep({ self: 'us', fills, own, others: [], taken: 2 }, terms), {
      kind: 'give',
      index: 0,
    })
  })

  test('who says that it keeps nothing does not make the others seem full', () => {
    const fills = fillsOf({ us: 100, liar: 0, one: 100, another: 102 })
    const own = [changing(0, { us: -90, liar: 90 }), changing(1, { us: -10, liar: 10 })]
    assert.equal(planStep({ self: 'us', fills, own, others: [], taken: 2 }, terms), undefined)
  })
})
