import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../../src/model/fixtures/property-tests.ts'
import { properties } from './copy-policy.fuzz.ts'
import { type CopyLimits, planCopies } from './copy-policy.ts'
import type { Holder, RangeCopies, RingPeer } from './range-copies.ts'

const limits: CopyLimits = { copies: 3, sparesMax: 1, forgetMs: 1_000 }
const patienceMs = 100
const nowMs = 10_000

const at = (peer: string, more: Partial<Holder> = {}): Holder => ({ peer, patienceMs, ...more })
const absent = (peer: string, forMs: number): Holder => at(peer, { absentSinceMs: nowMs - forMs })
const ringOf = (peers: string): RingPeer[] => [...peers].map((peer) => ({ peer, hasRoom: true }))
const range = (holders: Holder[], ring: string, coming: string[] = []): RangeCopies => ({
  holders,
  coming,
  ring: ringOf(ring),
})
const plan = (copies: RangeCopies, atMs = nowMs) => planCopies(copies, atMs, limits)

describe('the copies of a range', () => {
  test('are left alone while there are enough', () => {
    const calm = plan(range([at('a'), at('b'), at('c')], 'abcdef'))
    assert.deepEqual(calm, {
      copy: [],
      drop: [],
      forget: [],
      reachable: 3,
      counted: 3,
      lacking: 0,
      reviewAtMs: Number.POSITIVE_INFINITY,
    })
  })

  test('on an absent peer count until its patience is over, to the moment', () => {
    const copies = range([at('a'), at('b'), absent('c', 99)], 'abdef')
    assert.deepEqual(plan(copies).copy, [])
    assert.equal(plan(copies).reviewAtMs, nowMs + 1)
    const late = plan(copies, nowMs + 1)
    assert.deepEqual(
      late.copy.map(({ to }) => to),
      ['d'],
    )
    assert.equal(late.counted, 2)
    assert.equal(late.reviewAtMs, Number.POSITIVE_INFINITY)
  })

  test('that come back count again: what was made meanwhile is a spare, not dropped and not made again', () => {
    const returned = plan(range([at('a'), at('b'), at('c'), at('d')], 'abcdef'))
    assert.deepEqual([returned.copy, returned.drop], [[], []])
    const nextAbsence = plan(range([at('a'), absent('b', 500), at('c'), at('d')], 'acdef'))
    assert.deepEqual(nextAbsence.copy, [])
  })

  test('are not moved because another peer joined in a better place', () => {
    const moved = plan(range([at('d'), at('e'), at('f')], 'abcdef'))
    assert.deepEqual([moved.copy, moved.drop], [[], []])
  })

  test('are made where the ring looks for them first', () => {
    const drifting = plan(range([at('d'), at('e'), absent('f', 500)], 'abcde'))
    assert.deepEqual(
      drifting.copy.map(({ to }) => to),
      ['a'],
    )
  })

  test('are made in networks that have none yet, where there is a choice', () => {
    const ring = [
      { peer: 'd', network: 'x', hasRoom: true },
      { peer: 'e', network: 'y', hasRoom: true },
      { peer: 'f', network: 'y', hasRoom: true },
    ]
    const holders = [at('a', { network: 'x' })]
    const two = planCopies({ holders, coming: [], ring }, nowMs, limits)
    assert.deepEqual(
      two.copy.map(({ to }) => to),
      ['e', 'd'],
    )
  })

  test('are not made at a peer without room, nor where one is on its way', () => {
    const ring = [{ peer: 'd', hasRoom: false }, ...ringOf('ef')]
    const holders = [at('a')]
    const one = planCopies({ holders, coming: ['e'], ring }, nowMs, limits)
    assert.deepEqual(one.copy, [{ from: 'a', to: 'f' }])
  })

  test('are as many as there are peers, and the rest is counted as lacking', () => {
    const alone = plan(range([at('a')], 'a'))
    assert.deepEqual([alone.copy, alone.lacking], [[], 2])
    const two = plan(range([at('a')], 'ab'))
    assert.deepEqual([two.copy, two.lacking], [[{ from: 'a', to: 'b' }], 1])
  })

  test('wait while nobody can be read from', () => {
    const silent = plan(range([absent('a', 500), absent('b', 500), absent('c', 50)], 'def'))
    assert.deepEqual([silent.copy, silent.lacking, silent.reachable], [[], 2, 0])
  })

  test('of a peer that goes for good are handed over by itself, and do not count', () => {
    const leaving = plan(range([at('a'), at('b'), at('c', { isLeaving: true })], 'abd'))
    assert.deepEqual(leaving.copy, [{ from: 'c', to: 'd' }])
  })

  test('of a peer that is long gone are forgotten', () => {
    const holders = [at('a'), at('b'), at('c'), absent('d', 999), absent('e', 1_000)]
    assert.deepEqual(plan(range(holders, 'abc')).forget, ['e'])
  })
})

describe('a copy that is not needed', () => {
  const five = [at('a'), at('b'), at('c'), at('d'), at('e')]

  test('is dropped by who is farthest, and only beyond the spares', () => {
    assert.deepEqual(plan(range(five, 'abcdef')).drop, ['e'])
    assert.deepEqual(plan(range(five, 'abc')).drop.length, 1)
  })

  test('is dropped only when all of the replica set have one', () => {
    assert.deepEqual(plan(range(five, 'abxcde')).drop, [])
    assert.deepEqual(plan(range([...five, at('x', { isLeaving: true })], 'abxcde')).drop, [])
    assert.deepEqual(plan(range([...five, absent('x', 10)], 'abxcde')).drop, [])
    assert.deepEqual(plan(range([at('a'), at('b'), at('c'), at('d')], 'ab')).drop, [])
  })

  test('is kept while it is promised to another that dropped its own', () => {
    const promised = [...five.slice(0, 4), at('e', { promisedUntilMs: nowMs + 1 })]
    assert.deepEqual(plan(range(promised, 'abcdef')).drop, ['d'])
    assert.deepEqual(plan(range(promised, 'abcdef'), nowMs + 1).drop, ['e'])
  })

  test('makes room where that is short, once the replica set has what it needs', () => {
    const full = at('d', { isShortOfRoom: true })
    const before = plan(range([at('a'), at('b'), full], 'abcd'))
    assert.deepEqual([before.copy.map(({ to }) => to), before.drop, before.lacking], [['c'], [], 0])
    const after = plan(range([at('a'), at('b'), at('c'), full], 'abcd'))
    assert.deepEqual([after.copy, after.drop], [[], ['d']])
  })

  test('stays at a peer of the replica set, however full', () => {
    const full = at('c', { isShortOfRoom: true })
    assert.deepEqual(plan(range([at('a'), at('b'), full, at('d')], 'abcd')).drop, [])
  })
})

describe('by chance', () => {
  testProperties(properties, 500)
})
