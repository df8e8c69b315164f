import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'vitest'
import { type RingKey, ringKeyOf, ringKeyToBytes } from '../../../model/ring-key.ts'
import { withHoldings } from '../fixtures/simulated-holdings.ts'
import { allKeys } from '../sums/key-range.ts'
import type { RosterEntry } from '../sums/roster.ts'
import { boundsToEnd, cutsIn } from './large-parts.ts'
import { SplitSites } from './split-sites.ts'

const large = ringKeyOf('large.example')

function entryOf(site: RingKey, surt: string, version = 0): RosterEntry {
  const id = createHash('sha256').update(`${site} ${surt} ${version}`).digest().subarray(0, 16)
  const key = Buffer.concat([
    ringKeyToBytes(site),
    Buffer.from(`${surt}\0`),
    Buffer.from([0, 0, 0, 0, 0, 0, version]),
    id,
  ])
  return { key, id }
}

function pages(site: RingKey, count: number): RosterEntry[] {
  return Array.from({ length: count }, (_, index) => entryOf(site, `page ${String(index).padStart(6, '0')}`))
}

describe('what is too large', () => {
  test('is cut into halves until nothing is, and small sites are left alone', () =>
    withHoldings(async (holdings) => {
      for (let site = 0; site < 50; site++) await holdings.add(pages(ringKeyOf(`small ${site}`), 20))
      await holdings.add(pages(large, 3_000))
      const splits = new SplitSites()
      let rounds = 0
      for (;;) {
        const cuts = cutsIn(holdings.sums, splits, [allKeys], 500)
        if (cuts.length === 0) break
        assert.ok(++rounds < 100, 'it is cut for ever')
        for (const key of cuts) splits.set({ key, isGone: false })
      }
      assert.deepEqual(splits.sites(), [large])
      const counts = splits.bucketsOf(large).map(({ range }) => holdings.sums.sumOf(range).count)
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        3_000,
      )
      assert.ok(
        counts.every((count) => count > 100 && count <= 500),
        String(counts),
      )
      assert.ok(rounds <= 5)
    }))

  test('is not cut in the middle of a URL', () =>
    withHoldings(async (holdings) => {
      await holdings.add(Array.from({ length: 250 }, (_, version) => entryOf(large, 'one page', version)))
      assert.deepEqual(cutsIn(holdings.sums, new SplitSites(), [allKeys], 100), [])
      await holdings.add(Array.from({ length: 250 }, (_, version) => entryOf(large, 'two page', version)))
      const [cut] = cutsIn(holdings.sums, new SplitSites(), [allKeys], 100)
      assert.equal(Buffer.from(cut!.subarray(20)).toString(), 'two page')
    }))

  test('parts that have become small need no place of their own, and only who has that place says so', () =>
    withHoldings(async (holdings) => {
      const all = pages(large, 800)
      await holdings.add(all)
      const splits = new SplitSites()
      for (const key of cutsIn(holdings.sums, splits, [allKeys], 500)) splits.set({ key, isGone: false })
      assert.deepEqual(
        boundsToEnd(holdings.sums, splits, () => true, 500),
        [],
      )
      await holdings.remove(all.slice(410))
      const [, bucket] = splits.bucketsOf(large)
      assert.deepEqual(
        boundsToEnd(holdings.sums, splits, (place) => place !== bucket!.place, 500),
        [],
      )
      assert.deepEqual(
        boundsToEnd(holdings.sums, splits, (place) => place === bucket!.place, 500),
        [bucket!.range.from],
      )
    }))
})
