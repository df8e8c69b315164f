// The line to one peer: captures that are to be given to it, many to a call while earlier ones are on their way.
//
// Ends, and is forgotten, when nothing waits any more.

import { PolyhistorError } from '../../errors.ts'
import type { PeerId } from '../../world/network.ts'
import type { GivenOutcome, Giving } from './giving.ts'

interface Waiting {
  readonly key: Uint8Array
  resolve(outcome: GivenOutcome): void
}

const portionMax = 256
const portionsAtOnce = 2

export class GivingLine {
  readonly #giving: Giving
  readonly #peer: PeerId
  readonly #signal: AbortSignal
  readonly #whenEmpty: () => void
  #waiting: Waiting[] = []
  #underWay = 0

  constructor(giving: Giving, peer: PeerId, signal: AbortSignal, whenEmpty: () => void) {
    this.#giving = giving
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
      this.#underWay++
      void this.#givePortion().finally(() => {
        this.#underWay--
        this.#go()
        if (this.#underWay === 0 && this.#waiting.length === 0) this.#whenEmpty()
      })
    }
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
