// A second look at pages, for the peers that crawl their sites and by those that they ask: fetching a page again without keeping it, the
// turn of a host for somebody else's request, and what was seen, kept beside the page.

import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { WebLimits } from '../../platform/network/web.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import { fetchLimits } from '../fetch/limits.ts'
import type { FetchOutcome } from '../fetch/outcome.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { waitForTurn } from '../politeness/host-turns.ts'
import type { Archive } from '../visit/archive.ts'

interface Needs {
  readonly fetcher: Fetcher
  readonly archive: Pick<Archive, 'keepView'>
  readonly frontier: Frontier
  readonly clock: Clock
}

/** A page that has to wait longer is another one by then. */
const waitMsMax = 120_000

export class SecondLooks {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Asks the server, now: whoever wants it has the host's turn. The caller discards what came. */
  fetch(url: Url, bodyBytesMax: number, signal: AbortSignal): Promise<FetchOutcome> {
    const limits: WebLimits = { ...fetchLimits, bodyBytesMax, stallMsMax: 15_000, totalMsMax: 30_000 }
    return this.#needs.fetcher.fetch(url, { limits, signal })
  }

  /** Runs it in the host's turn; undefined when that does not come in time. */
  async inTurn<T>(url: Url, ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { clock, frontier } = this.#needs
    const turn = { url, hasTurn: false, waitMsMax }
    if (!(await waitForTurn({ pace: frontier.hosts, clock }, turn, signal))) return undefined
    const beganMs = clock.monotonicMs()
    try {
      return await ask()
    } finally {
      // Whatever the other says, the server may have been asked: the next one waits as after any answer of this length.
      const responseMs = clock.monotonicMs() - beganMs
      frontier.hosts.endTurn(url, { outcome: 'fetched', status: 200, responseMs })
    }
  }

  /** By what was learned of the page and its site. */
  isNoise(url: Url, difference: VersionDifference): boolean {
    return this.#needs.frontier.isNoise(url, difference)
  }

  /** Beside the capture of that time. */
  async keep(page: Url, capturedAtMs: number, bytes: Uint8Array): Promise<void> {
    const contentType = 'application/json'
    await this.#needs.archive.keepView({ page, kind: 'corroboration', capturedAtMs, contentType, bytes })
  }
}
