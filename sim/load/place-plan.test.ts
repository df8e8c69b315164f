import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../src/model/fixtures/property-tests.ts'
import { properties } from './kept-change.fuzz.ts'
import { type Fill, planStep } from './place-plan.ts'

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

  test('who is empty takes the place that relieves the fullest', () => {
    const fills = fillsOf({ us: 50, full: 150, other: 100 })
    const others = [changing(3, { us: 40, other: -40 }), changing(7, { us: 40, full: -40 })]
    assert.deepEqual(planStep({ self: 'us', fills, own: [], others }, terms), { kind: 'take', index: 7 })
  })

  test('who is full gives up a place, but not the only one: then it takes a better one first', () => {
    const fills = fillsOf({ us: 150, empty: 50, other: 100 })
    const [first, second] = [changing(0, { us: -150, empty: 150 }), changing(5, { us: -40, empty: 40 })]
    assert.deepEqual(planStep({ self: 'us', fills, own: [first, second], others: [] }, terms), {
      kind: 'give',
      index: 5,
    })
    assert.equal(planStep({ self: 'us', fills, own: [second], others: [] }, terms), undefined)
    const others = [changing(9, { us: 5, other: -5 })]
    assert.deepEqual(planStep({ self: 'us', fills, own: [second], others }, terms), {
      kind: 'take',
      index: 9,
    })
  })

  test('nobody moves anything where all keep about as much for what they give', () => {
    const fills = fillsOf({ us: 95, large: 1_600, other: 105 }, { large: 16 })
    const own = [changing(0, { us: -5, other: 5 }), changing(1, { us: -5, large: 5 })]
    const others = [changing(2, { us: 5, other: -5 })]
    assert.equal(planStep({ self: 'us', fills, own, others }, terms), undefined)
  })

  test('what a large peer keeps counts by its share', () => {
    const fills = fillsOf({ us: 100, large: 800, other: 100 }, { large: 16 })
    const own = [changing(0, { us: -40, large: 40 }), changing(1, { us: -40, other: 40 })]
    assert.deepEqual(planStep({ self: 'us', fills, own, others: [] }, terms), { kind: 'give', index: 0 })
  })

  test('who says that it keeps nothing does not make the others seem full', () => {
    const fills = fillsOf({ us: 100, liar: 0, one: 100, another: 102 })
    const own = [changing(0, { us: -90, liar: 90 }), changing(1, { us: -10, liar: 10 })]
    assert.equal(planStep({ self: 'us', fills, own, others: [] }, terms), undefined)
  })
})
