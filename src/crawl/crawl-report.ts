// What a crawl tells of itself: counts while it runs, and a line for every URL.

import type { JobLogLine } from '../model/jobs/job-service.ts'

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
export interface CrawlEvent extends JobLogLine {
  readonly outcome: 'new' | 'changed' | 'same' | 'not-kept' | 'failed' | 'retry' | 'refused'
  readonly depth?: number | undefined
}

export interface CrawlWatch {
  happened(event: CrawlEvent): void
}
