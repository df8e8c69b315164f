import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type RingKey, ringKeyOf, ringKeyToBytes } from '../../../model/ring-key.ts'
import { KeyRangeSet } from '../anti-entropy/key-range-set.ts'
import { boundsMax, SplitSites } from './split-sites.ts'

const site = ringKeyOf('example.com')
const keyOf = (surt: string, of = site): Buffer =>
  Buffer.concat([ringKeyToBytes(of), Buffer.from(`${surt}\0`)])
const bound = (surt: string, isGone = false) => ({
  key: Buffer.concat([ringKeyToBytes(site), Buffer.from(surt)]),
  isGone,
})
const corners = ['0', '4', '8', 'c'].map((digit) => digit.padEnd(40, '0') as RingKey)

/** The arcs of a ring of four. */
const arcs = corners.map((upTo, index) => ({ after: corners.at(index - 1)!, upTo }))

function arcOf(place: RingKey): number {
  return arcs.findIndex(({ after, upTo }) =>
    after < upTo ? place > after && place <= upTo : place > after || place <= upTo,
  )
}

describe('split sites', () => {
  test('lie at one place before they are split, and at one more for each bound', () => {
    const splits = new SplitSites()
    assert.equal(splits.placeOf(keyOf('a')), site)
    splits.set(bound('m'))
    assert.equal(splits.placeOf(keyOf('a')), site)
    assert.notEqual(splits.placeOf(keyOf('m')), site)
    assert.equal(splits.placeOf(keyOf('z')), splits.placeOf(keyOf('n')))
    const before = splits.placeOf(keyOf('n'))
    splits.set(bound('t'))
    assert.equal(splits.placeOf(keyOf('n')), before)
    assert.notEqual(splits.placeOf(keyOf('t')), before)
    assert.equal(splits.placeOf(keyOf('z', ringKeyOf('other'))), ringKeyOf('other'))
    assert.equal(splits.bucketsOf(site).length, 3)
  })

  test('what lies on all arcs together is everything, each key on the arc of its place', () => {
    const splits = new SplitSites()
    for (const surt of ['b', 'd', 'g', 'm', 't']) splits.set(bound(surt))
    splits.set(bound('g', true))
    const ranges = arcs.map(({ after, upTo }) => new KeyRangeSet(splits.rangesOf(after, upTo)))
    const all = new KeyRangeSet(ranges.flatMap((set) => set.ranges))
    assert.deepEqual(
      all.ranges.map(({ from, to }) => [from.length, to]),
      [[0, undefined]],
    )
    for (const surt of 'abcdefghijklmnopqrstuvwxyz') {
      for (const key of [keyOf(surt), keyOf(surt, ringKeyOf(surt))]) {
        const holding = ranges.flatMap((set, index) => (set.has(key) ? [index] : []))
        assert.deepEqual(holding, [arcOf(splits.placeOf(key))], surt)
      }
    }
  })

  test('readers ask where a capture may still lie: at all places of bounds before it, gone ones too', () => {
    const splits = new SplitSites()
    splits.set(bound('d'))
    splits.set(bound('m'))
    const places = [splits.placeOf(keyOf('d')), splits.placeOf(keyOf('m'))]
    splits.set(bound('m', true))
    const asked = splits.placesOf(site, { from: keyOf('p'), to: keyOf('q') })
    assert.equal(asked[0], places[0])
    assert.deepEqual(new Set(asked), new Set([...places, site]))
    assert.deepEqual(splits.placesOf(site, { from: keyOf('a'), to: keyOf('b') }), [site])
  })

  test('two who know the same have the same id, however they learnt it', () => {
    const [one, other] = [new SplitSites(), new SplitSites()]
    one.set(bound('d'))
    one.set(bound('m'))
    other.set(bound('m'))
    assert.notEqual(one.id, other.id)
    other.set(bound('d', true))
    assert.notEqual(one.id, other.id)
    other.set(bound('d'))
    assert.equal(one.id, other.id)
  })

  test('a bound that is none is refused', () => {
    const splits = new SplitSites()
    splits.set({ key: ringKeyToBytes(site), isGone: false })
    assert.deepEqual(splits.sites(), [])
  })

  test('of more bounds than a site may have, all choose the same ones, in whatever order they heard of them', () => {
    const bounds = Array.from({ length: 400 }, (_, index) => bound(`u${index}`, index % 5 === 0))
    const [one, other] = [new SplitSites(), new SplitSites()]
    one.set(...bounds)
    for (const each of bounds.toReversed()) other.set(each)
    assert.equal(one.id, other.id)
    assert.equal(one.bucketsOf(site).length, 1 + boundsMax)
  })

  test('many bounds at once are one change', () => {
    const splits = new SplitSites()
    let changes = 0
    splits.onChange(() => changes++)
    splits.set(...Array.from({ length: 500 }, (_, index) => bound(`u${index}`)))
    assert.equal(changes, 1)
    // Asked for with every arc and every look: it is worked out once.
    const ranges = splits.rangesOf(site, site)
    assert.equal(splits.rangesOf(site, site), ranges)
  })
})
