// The pages of a bundle, what volunteers said of them, and which of them have come to their end.
//
// Invariant: each page has one outcome, the first that it is given.

import type { FetchOptions } from '../../crawl/fetch/fetcher.ts'
import type { Fetched, FetchOutcome } from '../../crawl/fetch/outcome.ts'
import { notAsked } from '../../crawl/lent-fetching.ts'
import type { Url } from '../../model/url/url.ts'
import { urlBytesMax } from './volunteer-messages.ts'
import type { WaitingVolunteer } from './waiting-asks.ts'

export interface LentPage {
  readonly url: Url
  readonly options: FetchOptions
  /** What this peer saw of it lately. */
  readonly known?: Fetched | undefined
  /** Nothing comes of it but a second look. */
  readonly isCheck?: boolean | undefined
  readonly resolve: (outcome: FetchOutcome) => void
}

/** What one volunteer says came of a page. */
export interface Said {
  readonly page: LentPage
  readonly by: WaitingVolunteer
  readonly fetched: Fetched
}

interface Needs {
  /** It went back to the queue; `isOurs`: no volunteer can do it. */
  returned(url: Url, isOurs: boolean): void
}

export class PageOutcomes {
  readonly #needs: Needs
  readonly #done = new Set<LentPage>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  isDone(page: LentPage): boolean {
    return this.#done.has(page)
  }

  finish(page: LentPage, outcome: FetchOutcome): void {
    if (this.#done.has(page)) return
    this.#done.add(page)
    page.resolve(outcome)
  }

  giveBack(page: LentPage, isOurs = false): void {
    if (page.known !== undefined || page.isCheck || this.#done.has(page)) return
    this.#needs.returned(page.url, isOurs)
    this.finish(page, notAsked)
  }
}

/** To be looked at again. */
export function forCheck({ url, options }: LentPage): LentPage {
  return { url, options, isCheck: true, resolve: () => {} }
}

/** Whether a volunteer can ask for it as this peer would. */
export function isSendable({ url, options }: LentPage): boolean {
  const { sent, headers = [], limits } = options
  return (
    sent === undefined &&
    headers.length === 0 &&
    limits === undefined &&
    Buffer.byteLength(url.href) <= urlBytesMax
  )
}
