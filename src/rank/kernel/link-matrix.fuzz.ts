import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type LinkMatrix, linkMatrix } from './link-matrix.ts'
import { pageRank } from './page-rank.ts'
import { RankIteration } from './rank-iteration.ts'

/** Links to themselves, links that are there several times, and pages without links come by themselves: there are few pages. */
const graph = fc.integer({ min: 1, max: 12 }).chain((pages) =>
  fc.record({
    pages: fc.constant(pages),
    rows: fc.integer({ min: pages, max: pages + 4 }),
    links: fc.array(fc.tuple(fc.nat(pages - 1), fc.nat(pages - 1)), { maxLength: 60 }),
  }),
)
const layout = fc.record({
  blockSources: fc.constantFrom(1, 2, 4, 64),
  scatteredLinksMax: fc.constantFrom(0, 5, 1_000),
})
type Graph = typeof graph extends fc.Arbitrary<infer T> ? T : never

function matrixOf({ pages, rows, links }: Graph, layoutOf?: Parameters<typeof linkMatrix>[3]): LinkMatrix {
  const from = Uint32Array.from(links, ([one]) => one)
  const to = Uint32Array.from(links, ([, other]) => other)
  return linkMatrix({ pages, rows }, from, to, layoutOf)
}

function linksOf({ runs, targets, links, sourcePages }: LinkMatrix): number[][] {
  return runs.flatMap(({ linksEach, first, end, firstLink }) =>
    Array.from(links.subarray(firstLink, firstLink + linksEach * (end - first)), (source, at) => [
      sourcePages[source]!,
      targets[first + Math.floor(at / linksEach)]!,
    ]),
  )
}

function sorted(links: readonly (readonly number[])[]): string[] {
  return links.map(([from, to]) => `${from} ${to}`).sort()
}

/** By the equations, link by link. */
function plainRanks({ pages, links }: Graph, damping: number): number[] {
  const degrees = Array.from({ length: pages }, (_, page) => links.filter(([from]) => from === page).length)
  let ranks = Array.from(degrees, () => 1 / pages)
  for (let step = 0; step < 100; step++) {
    const dangling = ranks.reduce((sum, rank, page) => sum + (degrees[page] === 0 ? rank : 0), 0)
    const next = ranks.map(() => (1 - damping + damping * dangling) / pages)
    for (const [from, to] of links) next[to]! += (damping * ranks[from]!) / degrees[from]!
    ranks = next
  }
  return ranks
}

export const properties = [
  {
    name: 'each link is in the matrix as often as it was given, in whatever blocks',
    property: fc.property(graph, layout, (given, laid) => {
      const matrix = matrixOf(given, laid)
      assert.deepEqual(sorted(linksOf(matrix)), sorted(given.links))
      const degrees = Array.from(matrix.sourcePages, (page) => given.links.filter(([from]) => from === page))
      assert.deepEqual(
        [...matrix.sourceDegrees],
        degrees.map(({ length }) => length),
      )
    }),
  },
  {
    name: 'ranks are those of the equations, in whatever blocks',
    property: fc.property(graph, layout, (given, laid) => {
      const { ranks } = pageRank(matrixOf({ ...given, rows: given.pages }, laid), { damping: 0.7 })
      for (const [page, rank] of plainRanks(given, 0.7).entries())
        assert(Math.abs(ranks[page]! - rank) < 1e-12, `page ${page}`)
    }),
  },
  {
    name: 'sums in slices are those of the whole, and nothing of the iteration before is in them',
    property: fc.property(graph, layout, fc.integer({ min: 1, max: 9 }), (given, laid, linksMax) => {
      const matrix = matrixOf(given, laid)
      const start = Float64Array.from({ length: given.pages }, (_, page) => 1 / (page + 3))
      const [whole, sliced] = [start, start.slice()].map(
        (ranks) => new RankIteration(matrix, ranks, 0.85, { even: 1 / given.pages }),
      )
      whole!.share()
      whole!.sum(0)
      // What others' pages gave.
      sliced!.sums.fill(1)
      sliced!.share()
      for (let target = 0; target < matrix.targets.length; ) {
        const next = sliced!.sum(target, linksMax)
        assert(next > target)
        target = next
      }
      assert.deepEqual(sliced!.sums, whole!.sums)
    }),
  },
]
