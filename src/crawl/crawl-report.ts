// What a crawl tells of itself: counts while it runs, and a line for every URL.

/** `known`: the payload, or that it had not changed, was known already. */
export interface CrawlCounts {
  fetched: number
  new: number
  changed: number
  same: number
  failed: number
  /** Not asked for by rule: robots, address guard, traps. */
  refused: number
  bytes: number
}

export function noCrawlCounts(): CrawlCounts {
  return { fetched: 0, new: 0, changed: 0, same: 0, failed: 0, refused: 0, bytes: 0 }
}

/** What happened to one URL, and why. */
export interface CrawlEvent {
  readonly atMs: number
  readonly jobId: string
  readonly url: string
  readonly outcome: 'new' | 'changed' | 'same' | 'not-kept' | 'failed' | 'retry' | 'refused'
  readonly status?: number | undefined
  readonly bytes?: number | undefined
  readonly via?: string | undefined
  readonly depth?: number | undefined
  /** Why it was not kept, by a name that stays (job-outcome.ts); `reason` says the same to people. */
  readonly code?: string | undefined
  readonly reason?: string | undefined
}

export interface CrawlWatch {
  happened(event: CrawlEvent): void
}
