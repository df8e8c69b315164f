// Runs in several parts, which tell each other by memory: the ranks are those of one part.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type NumberedLinks, numberOfHref, ranksInParts } from './fixtures/joined-parts.ts'
import { rMat } from './fixtures/r-mat.ts'
import { linkMatrix } from './kernel/link-matrix.ts'
import { pageRank } from './kernel/page-rank.ts'
import { BadPart } from './rank-error.ts'
import { encodeValues } from './rank-messages.ts'
import { noExchange, onlyPart } from './rank-parts.ts'
import { RankRun } from './rank-run.ts'

/** Each link once, none to itself. */
function distinct({ pages, from, to }: NumberedLinks): NumberedLinks {
  const links = new Set<number>()
  for (let link = 0; link < from.length; link++)
    if (from[link] !== to[link]) links.add(from[link]! * pages + to[link]!)
  const numbers = [...links]
  return {
    pages,
    from: Uint32Array.from(numbers, (link) => Math.floor(link / pages)),
    to: Uint32Array.from(numbers, (link) => link % pages),
  }
}

function differenceOf(ones: Float64Array, others: Float64Array): number {
  return ones.reduce((sum, one, at) => sum + Math.abs(one - others[at]!), 0)
}

const graph = distinct(rMat(1_000, 12_000, 5))
const reference = pageRank(linkMatrix(graph, graph.from, graph.to)).ranks

test('ranks do not depend on the number of parts, and a value takes fewer than 2 bytes for each link', async () => {
  for (const count of [1, 2, 4, 8]) {
    const { ranks, results, exchanges } = await ranksInParts(graph, count)
    assert(differenceOf(ranks, reference) < 1e-10, `${count} parts`)
    const crossLinks = results.reduce((sum, { links }) => sum + links.crossLinks, 0)
    const iterations = results[0]!.iterations + 1
    assert(exchanges.bytesOfValues <= 2 * crossLinks * iterations, `${count} parts`)
  }
})

test('a run that starts with ranks of before ends sooner, with the same ranks', async () => {
  const fresh = await ranksInParts(graph, 4)
  const known = (href: string) => reference[numberOfHref(href)]
  const warm = await ranksInParts(graph, 4, {}, known)
  assert(warm.results[0]!.iterations <= 3 && fresh.results[0]!.iterations > 10)
  assert(differenceOf(warm.ranks, reference) < 1e-10)
  // Half of them are lost, as when a peer dies.
  const half = await ranksInParts(graph, 4, {}, (href) => (numberOfHref(href) % 2 ? known(href) : undefined))
  assert(differenceOf(half.ranks, reference) < 1e-10)
})

test('a link farm of a tenth of all pages gets no hundredth of rank, when trust begins at seeds', async () => {
  const { links, isFarm } = withFarm(graph)
  const share = (ranks: Float64Array): number =>
    ranks.reduce((sum, rank, page) => sum + (isFarm(page) ? rank : 0), 0)
  const open = share((await ranksInParts(links, 2)).ranks)
  assert(open > 0.1, `without seeds it gets ${open}`)
  const seeds = ['s1.test', 's2.test', 's3.test', 's4.test', 's5.test']
  const trusted = await ranksInParts(links, 2, { seeds })
  const gained = share(trusted.ranks)
  assert(gained < 0.01, `with seeds it gets ${gained}`)
  assert(gained > 0, 'some pages link to it')
  assert(Math.abs(trusted.ranks.reduce((sum, rank) => sum + rank, 0) - 1) < 1e-9)
})

/** The pages of seven of the 64 sites link to one another alone; of the others a few have been made to link to them. */
function withFarm({ pages, from, to }: NumberedLinks): {
  links: NumberedLinks
  isFarm: (page: number) => boolean
} {
  const isFarm = (page: number): boolean => page % 64 >= 57
  const all = Array.from(from, (one, link) => [one, to[link]!] as const).filter(
    ([one, other]) => !isFarm(one) && !isFarm(other),
  )
  const farm = Array.from({ length: pages }, (_, page) => page).filter(isFarm)
  for (const [at, page] of farm.entries())
    for (let step = 0; step < 10; step++)
      all.push([page, step === 0 ? farm[0]! : farm[(at + step) % farm.length]!])
  for (let one = 0; one < 5; one++) all.push([64 * one + 7, farm[0]!])
  const links = {
    pages,
    from: Uint32Array.from(all, ([one]) => one),
    to: Uint32Array.from(all, ([, other]) => other),
  }
  return { links: distinct(links), isFarm }
}

test('whoever tells what cannot be so is named', async () => {
  const parts = { ...onlyPart, count: 2 }
  const source = { pages: () => [{ href: 'http://a.test/', targets: [] }] }
  const head = { flowing: 0, change: 0, quantum: 0 }
  const counts = Uint8Array.of(1, 0, 0)
  const cases: (readonly Uint8Array[])[][] = [
    [[Uint8Array.of(9, 9)]],
    [[], []],
    [[], [counts], []],
    [[], [counts], encodeValues({ ...head, flowing: 5 }, new Uint8Array())],
    [[], [counts], encodeValues(head, new Uint8Array(8))],
  ]
  for (const told of cases) {
    const exchange = { swap: async (step: number) => [[], told[step] ?? []] }
    const run = new RankRun(
      { parts, exchange, source, breathe: async () => {} },
      { damping: 0.85, seeds: [], tolerance: 1e-12 },
    )
    await assert.rejects(run.run(), (error) => error instanceof BadPart && error.part === 1)
  }
})

test('an archive without pages has no ranks', async () => {
  const source = { pages: () => [] }
  const needs = { parts: onlyPart, exchange: noExchange, source, breathe: async () => {} }
  const { ranks } = await new RankRun(needs, { damping: 0.85, seeds: ['a.test'], tolerance: 1e-12 }).run()
  assert.equal(ranks.length, 0)
})
