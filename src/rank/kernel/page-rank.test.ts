// PageRank beside igraph's, and beside the equations that it solves.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { rMat } from '../fixtures/r-mat.ts'
import { linkMatrix } from './link-matrix.ts'
import { pageRank } from './page-rank.ts'

interface IgraphRanks {
  readonly pages: number
  readonly links: number
  readonly seed: number
  readonly even: readonly number[]
  readonly personalised: { readonly seeds: readonly number[]; readonly ranks: readonly number[] }
}

/** Made by `npm run bench -- rank --write-fixture`, with igraph 0.10. */
const igraph = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/igraph-ranks.json'), 'utf8'),
) as IgraphRanks

function differenceOf(ones: ArrayLike<number>, others: ArrayLike<number>): number {
  assert.equal(ones.length, others.length)
  return Array.from(ones).reduce((sum, one, at) => sum + Math.abs(one - others[at]!), 0)
}

test('ranks are those of igraph, with readers who begin anew everywhere or at seeds', () => {
  const { pages, from, to } = rMat(igraph.pages, igraph.links, igraph.seed)
  const matrix = linkMatrix({ pages }, from, to)
  assert(differenceOf(pageRank(matrix).ranks, igraph.even) < 1e-9)
  const teleport = new Float64Array(pages)
  for (const seed of igraph.personalised.seeds) teleport[seed] = 1
  assert(differenceOf(pageRank(matrix, { teleport }).ranks, igraph.personalised.ranks) < 1e-9)
})

test('ranks satisfy the equations of PageRank, whatever they start with', () => {
  const { pages, from, to } = rMat(64, 300, 3)
  const matrix = linkMatrix({ pages }, from, to)
  for (const damping of [0, 0.5, 0.85, 0.99]) {
    const { ranks } = pageRank(matrix, { damping })
    const start = Float64Array.from(ranks, (_, page) => page + 1)
    assert(differenceOf(pageRank(matrix, { damping, start }).ranks, ranks) < 1e-9)
    const expected = new Float64Array(pages).fill((1 - damping) / pages)
    for (let page = 0; page < pages; page++) {
      const targets = [...to].filter((_, link) => from[link] === page)
      if (targets.length === 0)
        for (let each = 0; each < pages; each++) expected[each]! += (damping * ranks[page]!) / pages
      for (const target of targets) expected[target]! += (damping * ranks[page]!) / targets.length
    }
    assert(differenceOf(ranks, expected) < 1e-10, `damping ${damping}`)
    assert(Math.abs(ranks.reduce((sum, rank) => sum + rank, 0) - 1) < 1e-12)
  }
})

test('no pages have no ranks, and pages without links are alike', () => {
  const none = new Uint32Array()
  assert.deepEqual(pageRank(linkMatrix({ pages: 0 }, none, none)).ranks, new Float64Array())
  assert.deepEqual([...pageRank(linkMatrix({ pages: 2 }, none, none)).ranks], [0.5, 0.5])
})
