// The ranks of a run that were computed just now and are kept nowhere, for commands that only ask.

import { BestRanks } from './best-ranks.ts'
import type { RankResult } from './rank-run.ts'
import type { RankAnswer, RankAsked, RankPoint, RankService } from './rank-service.ts'
import { siteFinder } from './seed-shares.ts'

export class ResultRanks implements RankService {
  readonly #result: RankResult
  readonly #computedMs: number

  constructor(result: RankResult, computedMs: number) {
    this.#result = result
    this.#computedMs = computedMs
  }

  async top({ isSites, site, limit }: RankAsked): Promise<RankAnswer> {
    const { links, ranks } = this.#result
    const best = new BestRanks(limit)
    const sites = new Map<string, number>()
    const siteOf = siteFinder()
    let count = 0
    for (let page = 0; page < ranks.length; page++) {
      const href = links.names.nameOf(page)
      const own = site === undefined && !isSites ? undefined : siteOf(href)
      if (site !== undefined && own !== site) continue
      if (isSites && own !== undefined) sites.set(own, (sites.get(own) ?? 0) + ranks[page]!)
      else best.add(href, ranks[page]!)
      count++
    }
    for (const [own, score] of sites) best.add(`http://${own}/`, score)
    const all = isSites ? sites.size : count
    return { ranked: best.sorted(), isPartial: all > limit, computedMs: this.#computedMs }
  }

  async curve(): Promise<readonly RankPoint[]> {
    return []
  }
}
