// What a volunteer does and has done, for its owner to see: what it fetches now, and what it has given so far.

import type { Clock } from '../platform/clock.ts'
import type { PeerId } from '../platform/network/network.ts'
import type { PauseReason } from './owner-limits.ts'

/** What of a bundle was taken. */
export interface Given {
  readonly pages: number
  readonly bytes: number
}

interface Running {
  readonly leader: PeerId
  readonly urls: number
  readonly sinceMs: number
  href: string
}

export interface FiguresView {
  readonly pages: number
  readonly bytes: number
  readonly bundles: number
  readonly upMs: number
  readonly pause: PauseReason | undefined
  readonly now: readonly { readonly href: string; readonly leader: PeerId; readonly forMs: number }[]
}

export class VolunteerFigures {
  readonly #clock: Clock
  readonly #startMs: number
  readonly #running = new Set<Running>()
  pages = 0
  bytes = 0
  bundles = 0
  pause: PauseReason | undefined

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
    this.#startMs = needs.clock.monotonicMs()
  }

  begin(
    leader: PeerId,
    urls: number,
  ): { fetching(href: string): void; gave(given: Given): void; end(): void } {
    const running = { leader, urls, sinceMs: this.#clock.monotonicMs(), href: '' }
    this.#running.add(running)
    return {
      fetching: (href) => {
        running.href = href
      },
      gave: ({ pages, bytes }) => {
        this.pages += pages
        this.bytes += bytes
      },
      end: () => {
        this.#running.delete(running)
        this.bundles++
      },
    }
  }

  view(): FiguresView {
    const nowMs = this.#clock.monotonicMs()
    const { pages, bytes, bundles, pause } = this
    const now = [...this.#running].map(({ href, leader, sinceMs }) => ({
      href,
      leader,
      forMs: nowMs - sinceMs,
    }))
    return { pages, bytes, bundles, upMs: nowMs - this.#startMs, pause, now }
  }
}
