// The ranks of a home without a running peer, for commands that only ask: computed from what is archived here, and not kept.

import { GraphSource } from '../../rank/graph-source.ts'
import type { RankTerms } from '../../rank/rank-parts.ts'
import type { RankService } from '../../rank/rank-service.ts'
import { ResultRanks } from '../../rank/result-ranks.ts'
import { ranksOf } from '../../rank/solitary-ranks.ts'
import type { Store } from '../../store/store.ts'
import { withGraph } from '../graph/links-to-ask.ts'
import { realPlatform } from '../real-platform.ts'

export { rankAskedOf, rankJson } from '../../api/v1/rank-routes.ts'

export function withRanks<T>(
  folder: string,
  store: Store,
  terms: RankTerms,
  work: (ranks: RankService) => Promise<T>,
): Promise<T> {
  return withGraph(folder, store, async (graph) => {
    const platform = realPlatform()
    await graph.flush()
    const source = new GraphSource({ graph, isHidden: (href) => store.hides(href) })
    const result = await ranksOf({ source, breathe: () => platform.breathe() }, terms)
    return work(new ResultRanks(result, platform.clock.nowMs()))
  })
}
