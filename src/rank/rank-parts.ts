// Rank parts: which part of a run computes which page, and what parts tell each other.
//
// A run has as many parts as peers take part, numbered. Every page belongs to one of them, and all parts say the same of which.

export interface RankParts {
  readonly self: number
  readonly count: number
  /** Which computes the page; undefined for what is no page of anybody. */
  partOf(href: string): number | undefined
}

/** In steps: each part has one message, in pieces, for each other part, and goes on when it has those of all. */
export interface RankExchange {
  /** By part; ours are not looked at. */
  swap(step: number, ours: readonly Pieces[]): Promise<readonly Pieces[]>
}

export type Pieces = readonly Uint8Array[]

/** Where links come from: the pages that are kept here, each once, with what they link to. */
export interface RankSource {
  pages(): Iterable<{ readonly href: string; readonly targets: Iterable<string> }>
}

export interface RankTerms {
  /** How likely a reader follows a link rather than begins anew. */
  readonly damping: number
  /** Sites where readers begin anew; everywhere when there are none, or none of them is kept. */
  readonly seeds: readonly string[]
  /** All changes of an iteration, summed, at which the run ends. */
  readonly tolerance: number
}

/** Larger pieces are not sent. */
export const pieceBytesMax = 192 * 1024
export const seedsMax = 1_000

/** A run of one part. */
export const onlyPart: RankParts = { self: 0, count: 1, partOf: () => 0 }
export const noExchange: RankExchange = { swap: async () => [[]] }
