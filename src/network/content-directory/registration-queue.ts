// Registration queue: registers contents that are kept here for the first time with the owners of their digests, with retries.
//
// Bounded: beyond `waitingMax` contents are not registered; then other peers store them once more.

import { unlessFails } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ContentPlace } from './content-row.ts'
import type { DigestOwners } from './owners.ts'

interface Needs {
  readonly clock: Clock
  readonly owners: DigestOwners<ContentPlace>
}

const retryMs = 5_000
const triesMax = 5
const waitingMax = 10_000

export class RegistrationQueue {
  readonly #needs: Needs
  readonly #stop = new AbortController()
  #waiting = 0

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Resolves when it is told, or given up. */
  async add(place: ContentPlace): Promise<void> {
    if (this.#waiting >= waitingMax) return
    const { owners, clock } = this.#needs
    const { signal } = this.#stop
    this.#waiting++
    for (let tries = 1; !signal.aborted; tries++) {
      if ((await unlessFails(owners.ask(place))) !== undefined || tries === triesMax) break
      await clock.sleep(retryMs, signal).catch(() => {})
    }
    this.#waiting--
  }

  close(): void {
    this.#stop.abort()
  }
}
