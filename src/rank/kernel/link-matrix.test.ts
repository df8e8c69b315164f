// Link matrix: properties on small graphs that are laid out as large ones are, and a graph that is large enough to have groups of pages.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { rMat } from '../fixtures/r-mat.ts'
import { properties } from './link-matrix.fuzz.ts'
import { linkMatrix } from './link-matrix.ts'
import { pageRank } from './page-rank.ts'

testProperties(properties, 200)

test('ranks do not depend on the layout, with more pages than groups', () => {
  const { pages, from, to } = rMat(4_096, 30_000, 4)
  const { ranks } = pageRank(linkMatrix({ pages }, from, to))
  for (const blockSources of [1, 256, 1_024]) {
    const layout = { blockSources, scatteredLinksMax: 1_000 }
    const others = pageRank(linkMatrix({ pages }, from, to, layout)).ranks
    const difference = ranks.reduce((sum, rank, page) => sum + Math.abs(rank - others[page]!), 0)
    assert(difference < 1e-11, `blocks of ${blockSources}: ${difference}`)
  }
})

test('sources with many links come first, and those with alike many in the order of their pages', () => {
  const degrees = [1, 0, 4, 1, 3, 9]
  const from = Uint32Array.from(degrees.flatMap((degree, page) => Array(degree).fill(page)))
  const { sourcePages, sourceDegrees } = linkMatrix({ pages: 6 }, from, new Uint32Array(from.length))
  assert.deepEqual([...sourcePages], [5, 2, 4, 0, 3])
  assert.deepEqual([...sourceDegrees], [9, 4, 3, 1, 1])
})
