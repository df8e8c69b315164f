// Rank service: what is asked about ranks, of this peer or of all.

export interface Ranked {
  /** Of a page; of a site the address that its name makes. */
  readonly url: string
  /** Its share of all ranks, which sum up to 1. A site's is the sum of its pages'. */
  readonly score: number
}

export interface RankAnswer {
  /** The best first. */
  readonly ranked: readonly Ranked[]
  /** There are more than were asked for, or not everybody has answered. */
  readonly isPartial: boolean
  /** When the run began that they come from; 0 when there was none yet. */
  readonly computedMs: number
}

export interface RankPoint {
  readonly atMs: number
  readonly score: number
}

export interface RankAsked {
  /** Sites instead of pages. */
  readonly isSites: boolean
  /** Only pages of this one. */
  readonly site?: string | undefined
  readonly limit: number
}

export interface RankService {
  top(asked: RankAsked): Promise<RankAnswer>
  /** The score of a site over time, oldest first. */
  curve(site: string): Promise<readonly RankPoint[]>
}

export function sortedRanks(ranked: Iterable<Ranked>): Ranked[] {
  return [...ranked].sort((one, other) => other.score - one.score || (one.url < other.url ? -1 : 1))
}
