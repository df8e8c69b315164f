// Contents that were kept here just now, on their way into the directory: gathered, sent when there is time, tried again.
//
// In memory only, and bounded: a registration that is lost costs the room of a duplicate, nothing else.

import { PolyhistorError } from '../../errors.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { ContentPlace } from './content-row.ts'
import type { DigestOwners } from './owners.ts'

interface Needs {
  readonly clock: Clock
  readonly owners: DigestOwners<ContentPlace>
}

interface Waiting {
  readonly place: ContentPlace
  readonly tries: number
}

const gatherMs = 200
const retryMs = 5_000
const triesMax = 5
const waitingMax = 10_000
/** At once, to all owners together. */
const batchMax = 1_024

export class RegistrationQueue {
  readonly #needs: Needs
  #waiting: Waiting[] = []
  #timer: Timer | undefined
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get waiting(): number {
    return this.#waiting.length
  }

  add(place: ContentPlace): void {
    this.#queue({ place, tries: 0 }, gatherMs)
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  #queue(waiting: Waiting, delayMs: number): void {
    if (this.#isClosed || this.#waiting.length >= waitingMax) return
    this.#waiting.push(waiting)
    this.#timer ??= this.#needs.clock.after(delayMs, () => void this.#send())
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.splice(0, batchMax)
    const again = (await Promise.all(batch.map((one) => this.#sent(one)))).filter((one) => one !== undefined)
    this.#timer = undefined
    for (const one of again) this.#queue(one, retryMs)
    if (this.#waiting.length > 0 && !this.#isClosed)
      this.#timer ??= this.#needs.clock.after(gatherMs, () => void this.#send())
  }

  /** What is to be tried again. */
  async #sent({ place, tries }: Waiting): Promise<Waiting | undefined> {
    try {
      await this.#needs.owners.ask(place)
      return undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return tries + 1 < triesMax ? { place, tries: tries + 1 } : undefined
    }
  }
}
