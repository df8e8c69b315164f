// The ranks of made-up sites as one machine computes them, to compare with what a network says.

import { linkMatrix } from '../../src/rank/kernel/link-matrix.ts'
import { pageRank } from '../../src/rank/kernel/page-rank.ts'
import type { LinkedSites } from './linked-sites.ts'
import type { WholeNetwork } from './whole-network.ts'

export interface ShownRanks {
  readonly ranked: readonly { readonly url: string; readonly score: number }[]
  readonly isPartial: boolean
  readonly computed: string | null
}

export function shownRanks(network: WholeNetwork, name: string): Promise<ShownRanks> {
  return network.ask<ShownRanks>(name, '/api/v1/rank?top=1000')
}

/** All differences, summed: 2 when nothing is known. */
export function differenceOfRanks(sites: LinkedSites, shown: ShownRanks): number {
  return differenceFrom(referenceOf(sites), shown)
}

export function differenceFrom(
  reference: ReadonlyMap<string, number>,
  { ranked }: Pick<ShownRanks, 'ranked'>,
): number {
  const scores = new Map(ranked.map(({ url, score }) => [url, score]))
  let difference = 0
  for (const [url, score] of reference) {
    difference += Math.abs(score - (scores.get(url) ?? 0))
    scores.delete(url)
  }
  for (const score of scores.values()) difference += score
  return difference
}

function referenceOf(sites: LinkedSites): Map<string, number> {
  const bodyOf = (url: string): string => {
    const [site, page] = [...url.matchAll(/\d+/g)].map(Number)
    return sites.body(site!, page!)
  }
  return ranksOfPages(sites.urls.map((href) => ({ href, html: bodyOf(href) })))
}

/** By one program that has all pages. */
export function ranksOfPages(
  pages: readonly { readonly href: string; readonly html: string }[],
): Map<string, number> {
  const numbers = new Map(pages.map(({ href }, number) => [href, number]))
  const from: number[] = []
  const to: number[] = []
  for (const [number, { html }] of pages.entries()) {
    const targets = [...html.matchAll(/href="([^"]+)"/g)].map(([, target]) => target!)
    for (const target of new Set(targets)) {
      const other = numbers.get(target)
      if (other === undefined || other === number) continue
      from.push(number)
      to.push(other)
    }
  }
  const matrix = linkMatrix({ pages: pages.length }, Uint32Array.from(from), Uint32Array.from(to))
  const { ranks } = pageRank(matrix)
  return new Map(pages.map(({ href }, number) => [href, ranks[number]!]))
}
