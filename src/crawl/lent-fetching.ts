// Lent fetching: URLs that others than this peer ask the web for, several of one host at a time, one after the other.
//
// The crawl stays in command: it takes the URLs from the frontier, passes robots.txt and rules for each, and keeps their hosts busy
// until every one of them has come to an end. Who fetches, and how far that is believed, is for whoever implements this.

import type { Url } from '../model/url/url.ts'
import type { FetchOptions } from './fetch/fetcher.ts'
import type { Fetched, FetchFailure, FetchOutcome } from './fetch/outcome.ts'

/** Nobody asked for it after all: it stays queued as if it had not been given out. */
export const notAsked: FetchFailure = {
  ...{ kind: 'failed', code: 'reset', reason: 'it was not asked for', retry: 'later' },
  ...{ address: undefined, endedAtMs: 0 },
}

export interface LentFetching {
  /** Whoever waits for work at this URL's host; undefined: nobody, and this peer fetches itself. */
  begin(url: Url): LentHost | undefined
  /** A page that this peer has to fetch itself; others of its host may be the same. */
  keepBack(url: Url): void
  /** What this peer itself saw: others are asked for it now and then. */
  noteOwn(fetched: Fetched): void
  /** What is kept of it came from one who lied, or who is being tried: it is fetched whole, by this peer. */
  isDoubted(url: Url): boolean
  /** That was done. `isSame`: what was kept before was the same, but for noise. */
  clear(url: Url, isSame: boolean): Promise<void>
}

/** One host that is lent. Each URL of it that is expected either fetches or is left out. */
export interface LentHost {
  /** Further URLs of the same origin that may come along. */
  readonly room: number
  /** So many more are on their way. Asked at most once, before the first has come. */
  expect(count: number): void
  /** Resolves as a fetcher of our own would. */
  fetch(url: Url, options: FetchOptions): Promise<FetchOutcome>
  /** One that was expected does not come. */
  leaveOut(): void
}
