// Turns for the requests of one page: each host is asked for one thing at a time, at its pace.
//
// The page's own host is kept for it by whoever shows it; at other hosts it takes turns with everybody else.

import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import { fetchResultOf } from '../fetch/fetch-result.ts'
import type { FetchOutcome } from '../fetch/outcome.ts'
import { type HostTurns, waitForTurn } from '../politeness/host-turns.ts'

/** To be told as soon as the host has answered or failed: the next is asked then, while this answer is still being kept. */
export type EndTurn = (outcome: FetchOutcome) => void

export class PartTurns {
  readonly #needs: { readonly pace: HostTurns; readonly clock: Clock }
  readonly #own: Url | undefined
  readonly #whenFree: () => void
  readonly #waitMsMax: number
  /** The end of each host's queue. */
  readonly #last = new Map<string, Promise<void>>()

  constructor(
    needs: { readonly pace: HostTurns; readonly clock: Clock },
    {
      own,
      waitMsMax,
      whenFree,
    }: { readonly own: Url | undefined; readonly waitMsMax: number; readonly whenFree: () => void },
  ) {
    this.#needs = needs
    this.#own = own
    this.#whenFree = whenFree
    this.#waitMsMax = waitMsMax
  }

  /** undefined when the host cannot be asked in time. */
  async take<T>(
    url: Url,
    ask: (endTurn: EndTurn) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { pace, clock } = this.#needs
    const before = this.#last.get(url.authority)
    const over = Promise.withResolvers<void>()
    this.#last.set(url.authority, over.promise)
    try {
      await before
      const hasTurn = url.authority === this.#own?.authority
      const wanted = { url, hasTurn, waitMsMax: this.#waitMsMax }
      if (!(await waitForTurn(this.#needs, wanted, signal))) return undefined
      let isEnded = false
      const end = (outcome: FetchOutcome | undefined): void => {
        if (isEnded) return
        isEnded = true
        const result = outcome && fetchResultOf(outcome, { frontier: pace, clock })
        if (!hasTurn) pace.endTurn(url, result)
        else if (result !== undefined) pace.asked(url, result)
        over.resolve()
        this.#whenFree()
      }
      try {
        return await ask(end)
      } finally {
        end(undefined)
      }
    } finally {
      over.resolve()
      if (this.#last.get(url.authority) === over.promise) this.#last.delete(url.authority)
    }
  }
}
