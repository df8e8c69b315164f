// Arrivals: waits until links have arrived at the owners of their sites.
//
// A site's entries in the outbox have growing numbers, so all that was offered by now has arrived when no entry is left with a
// number up to now: also links that were not put there because somebody else had offered the same.

import type { RingKey } from '../../model/ring-key.ts'
import type { Outbox } from './outbox/outbox.ts'

interface Waiter {
  readonly sequence: number
  arrived(): void
}

export class Arrivals {
  readonly #outbox: Outbox
  readonly #waiters = new Map<RingKey, Set<Waiter>>()

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  /** Resolves when all links offered so far for these sites have arrived, or on `signal`. */
  async wait(sites: Iterable<RingKey>, signal: AbortSignal): Promise<void> {
    await Promise.all([...new Set(sites)].map((site) => this.#untilSite(site, signal)))
  }

  /** Entries of these sites have left the outbox. */
  noteRemoved(sites: Iterable<RingKey>): void {
    for (const site of new Set(sites)) {
      const waiters = this.#waiters.get(site)
      if (waiters === undefined) continue
      const first = this.#outbox.firstNumberOf(site)
      for (const waiter of [...waiters]) if (first > waiter.sequence) waiter.arrived()
    }
  }

  #untilSite(site: RingKey, signal: AbortSignal): Promise<void> {
    const { sequence } = this.#outbox
    if (signal.aborted || this.#outbox.firstNumberOf(site) > sequence) return Promise.resolve()
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(site) ?? new Set<Waiter>()
      const arrived = (): void => {
        signal.removeEventListener('abort', arrived)
        waiters.delete(waiter)
        if (waiters.size === 0) this.#waiters.delete(site)
        resolve()
      }
      const waiter: Waiter = { sequence, arrived }
      waiters.add(waiter)
      this.#waiters.set(site, waiters)
      signal.addEventListener('abort', arrived, { once: true })
    })
  }
}
