// Hands: how many visits are at work at once.
//
// A visit takes a hand, and lets it go for good when what is left to do is to wait for other peers and to note what came of it:
// else it would be the delay of others that says how many hosts are asked. Who is not on a network never lets go, so that what
// a killed process has to fetch again is bounded by its hands.

import type { UntilOthers } from './visit/archive.ts'

export interface Hand {
  /** What is waited for that others do: from now on the visit goes without a hand. */
  readonly untilOthers: UntilOthers
  /** The visit is over. */
  end(): void
}

/** Visits that have let go and are not over. */
const waitingMax = 2_000

export class Hands {
  readonly #count: number
  readonly #whenFree: () => void
  #taken = 0
  #waiting = 0

  /** `whenFree` is told when another visit may begin. */
  constructor(count: number, whenFree: () => void = () => {}) {
    this.#count = count
    this.#whenFree = whenFree
  }

  get areFree(): boolean {
    return this.#taken < this.#count && this.#waiting < waitingMax
  }

  take(): Hand {
    let isHeld = true
    this.#taken++
    return {
      untilOthers: (others) => {
        if (isHeld) {
          isHeld = false
          this.#taken--
          this.#waiting++
          this.#whenFree()
        }
        return others
      },
      end: () => {
        if (isHeld) this.#taken--
        else this.#waiting--
        this.#whenFree()
      },
    }
  }
}
