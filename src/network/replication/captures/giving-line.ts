// The line to one peer: captures that are to be given to it, many to a call.
//
// The first goes at once. What comes soon after it waits for company: a call costs both sides more than a capture does, the other
// a flush of its disk, too, and nobody is held up who waits. Ends, and is forgotten, when nothing comes any more.

import { PolyhistorError } from '../../../errors.ts'
import type { Clock, Timer } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network.ts'
import type { GivenOutcome, Giving } from './giving.ts'

interface Waiting {
  readonly key: Uint8Array
  resolve(outcome: GivenOutcome): void
}

const portionMax = 256
const portionsAtOnce = 2
/** How long after a call the next one is made, unless there is company enough for one. */
const companyMs = 500
const companyEnough = 32

export class GivingLine {
  readonly #giving: Giving
  readonly #clock: Clock
  readonly #peer: PeerId
  readonly #signal: AbortSignal
  readonly #whenEmpty: () => void
  #waiting: Waiting[] = []
  #underWay = 0
  #nextMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  constructor(
    needs: { giving: Giving; clock: Clock },
    peer: PeerId,
    signal: AbortSignal,
    whenEmpty: () => void,
  ) {
    this.#giving = needs.giving
    this.#clock = needs.clock
    this.#peer = peer
    this.#signal = signal
    this.#whenEmpty = whenEmpty
  }

  /** `failed` when the peer cannot be reached, or cannot take it. */
  give(key: Uint8Array): Promise<GivenOutcome> {
    return new Promise((resolve) => {
      this.#waiting.push({ key, resolve })
      this.#go()
    })
  }

  #go(): void {
    while (this.#waiting.length > 0 && this.#underWay < portionsAtOnce) {
      if (this.#waiting.length < companyEnough && this.#restMs > 0) break
      this.#nextMs = this.#clock.monotonicMs() + companyMs
      this.#underWay++
      void this.#givePortion().finally(() => {
        this.#underWay--
        this.#go()
      })
    }
    if (this.#underWay < portionsAtOnce && (this.#waiting.length > 0 || this.#underWay === 0)) this.#rest()
  }

  get #restMs(): number {
    return this.#nextMs - this.#clock.monotonicMs()
  }

  /** Until it is time for those that wait, or it is clear that nobody does. */
  #rest(): void {
    this.#timer ??= this.#clock.after(Math.max(0, this.#restMs), () => {
      this.#timer = undefined
      if (this.#waiting.length > 0) this.#go()
      else if (this.#underWay === 0) this.#whenEmpty()
    })
  }

  async #givePortion(): Promise<void> {
    // Let those of the same moment come along.
    await Promise.resolve()
    const portion = this.#waiting.splice(0, portionMax)
    const keys = portion.map(({ key }) => key)
    const outcomes = await this.#giving
      .give(this.#peer, keys, { signal: this.#signal })
      .catch((error: unknown) => {
        if (!(error instanceof PolyhistorError) && !this.#signal.aborted) throw error
        return undefined
      })
    for (const [index, { resolve }] of portion.entries()) resolve(outcomes?.[index] ?? 'failed')
  }
}
