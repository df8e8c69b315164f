import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TimeHeap } from '../crawl/frontier/lanes/time-heap.ts'
import { headStartMsMax, SiteHeadStarts } from './site-head-starts.ts'

test('the more important a site is the earlier it is asked for, within a bound', () => {
  const scores = { computedMs: 1, scoreOfSite: (site: string) => ({ 'a.test': 0.1, 'b.test': 1e-4 })[site] }
  const starts = new SiteHeadStarts(scores)
  const [first, second, unknown] = ['www.a.test', 'b.test:8080', 'c.test'].map((host) => starts.of(host))
  assert(first! > second! && second! > 0 && unknown === 0 && first! <= headStartMsMax)
})

test('new ranks are heard of, and before the first ones all are alike', () => {
  const scores = { computedMs: 0, scoreOfSite: () => 1 as number | undefined }
  const starts = new SiteHeadStarts(scores)
  assert.equal(starts.of('a.test'), 0)
  scores.computedMs = 1
  for (let ask = 0; ask < 1_000; ask++) starts.of('a.test')
  assert.equal(starts.of('a.test'), headStartMsMax)
})

test('of those that are due the one with a head start comes first, unless another has waited for longer than that', () => {
  const heap = new TimeHeap<string>()
  const headStart = (name: string): number => (name === 'important' ? 100 : 0)
  heap.add(1_000, 'early')
  heap.add(1_050, 'important')
  heap.add(5_000, 'important')
  assert.equal(heap.takeAhead(2_000, headStart), 'important')
  // What is not due yet has no head start.
  assert.equal(heap.takeAhead(2_000, headStart), 'early')
  heap.add(4_800, 'waiting')
  assert.equal(heap.takeAhead(6_000, headStart), 'waiting')
})
