// The ranks of a sample archive, as if they had been computed month by month: with other readers each time, so that curves are none of
// straight lines.

import { join } from 'node:path'
import type { Platform } from '../../src/app/platform.ts'
import type { LinkGraph } from '../../src/graph/link-graph.ts'
import { GraphSource } from '../../src/rank/graph-source.ts'
import { RankBook, rankTables } from '../../src/rank/rank-book.ts'
import { ranksOf } from '../../src/rank/solitary-ranks.ts'

const monthMs = 30 * 86_400_000
const dampings = [0.2, 0.3, 0.5, 0.6, 0.55, 0.7, 0.75, 0.85]

export async function madeUpRanks(
  platform: Platform,
  graph: LinkGraph,
  folder: string,
): Promise<{ ranks: RankBook; close(): Promise<void> }> {
  const isHidden = (): boolean => false
  const breathe = () => platform.breathe()
  const keyValue = await platform.keyValues.open(join(folder, 'rank'), { tables: rankTables })
  const ranks = new RankBook({ keyValue, isHidden, breathe })
  const source = new GraphSource({ graph, isHidden })
  for (const [month, damping] of dampings.entries()) {
    const result = await ranksOf({ source, breathe }, { damping, seeds: [], tolerance: 1e-12 })
    await ranks.keep(result, Date.parse('2023-01-01') + month * monthMs)
  }
  return { ranks, close: () => keyValue.close() }
}
