import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { noCounts } from '../../crawl/frontier/jobs/crawl-job.ts'
import { noShare, type PeerShare } from './job-shares.ts'
import { allotPages } from './page-allotments.ts'

function share(pages: number, pending: number, allotted: number, tasks = 0): PeerShare {
  const empty = noShare({ waiting: 0, unsettled: 0, process: 1, activity: 0 })
  return { ...empty, counters: { ...noCounts(), pages, pending }, allotted, tasks }
}

/** Peers as they would fetch, with what they are allotted, until nobody gets more. */
function fetchAll(budget: number, waiting: readonly number[]): number {
  let shares = new Map(waiting.map((pending, index) => [String(index), share(0, pending, 0)]))
  for (let rounds = 0; ; rounds++) {
    assert.ok(rounds < 10_000, 'pages are allotted for ever')
    const changes = allotPages(budget, shares, 0)
    if (changes.size === 0) break
    shares = new Map(
      [...shares].map(([peer, { counters, allotted }]) => {
        const now = changes.get(peer) ?? allotted!
        const more = Math.min(counters.pending, Math.max(0, now - counters.pages))
        return [peer, share(counters.pages + more, counters.pending - more, now)]
      }),
    )
  }
  return [...shares.values()].reduce((sum, { counters }) => sum + counters.pages, 0)
}

describe('a budget of pages', () => {
  test('is spent to the last page when there are enough, and never exceeded', () => {
    const property = fc.property(
      fc.nat(500),
      fc.array(fc.nat(200), { minLength: 1, maxLength: 8 }),
      (budget, waiting) => {
        const there = waiting.reduce((sum, pages) => sum + pages, 0)
        assert.equal(fetchAll(budget, waiting), Math.min(budget, there))
      },
    )
    fc.assert(property, { seed: 1, numRuns: 300 })
  })

  test('goes to those that have something to fetch', () => {
    const shares = new Map([
      ['a', share(0, 10, 0)],
      ['b', share(0, 0, 0)],
    ])
    assert.deepEqual([...allotPages(10, shares, 0)], [['a', 5]])
  })

  test('comes back from those that have nothing left', () => {
    const shares = new Map([
      ['a', share(3, 0, 50)],
      ['b', share(50, 10, 50)],
    ])
    assert.deepEqual([...allotPages(100, shares, 0)].sort(), [
      ['a', 3],
      ['b', 74],
    ])
  })

  test('counts pages of those who are gone', () => {
    assert.deepEqual([...allotPages(10, new Map([['a', share(0, 10, 0)]]), 10)], [])
  })
})
