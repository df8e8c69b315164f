// Hands: how many hosts are asked at once, and how many visits may be under way for that.
//
// A visit takes a hand. On a network it lets go of it for good when its host has answered, and is then bounded only by what its
// answer takes of memory, until what is left to do is to wait for other peers and to note what came of it: else it would be the
// delay of others, or of our own threads and disk, that says how many hosts are asked. Who is not on a network keeps it to the
// end, so that what a killed process has to fetch again is bounded by its hands.

import type { UntilOthers } from './visit/archive.ts'

export interface FetchSlot {
  /** Its host has answered, and others help to keep what came: it goes on without a hand, if not too many do. */
  answered(): void
  /** What is waited for that others do: from now on it has no hand. */
  readonly untilOthers: UntilOthers
  /** The visit is over. */
  end(): void
}

/** Visits that have been answered and are being read, and kept here. */
const answeredMax = 64
/** Visits that wait for others. */
const waitingMax = 2_000

type Stage = 'asking' | 'answered' | 'waiting'

export class FetchSlots {
  readonly #count: number
  readonly #whenFree: () => void
  readonly #visits: Record<Stage, number> = { asking: 0, answered: 0, waiting: 0 }

  /** `whenFree` is told when another visit may begin. */
  constructor(count: number, whenFree: () => void = () => {}) {
    this.#count = count
    this.#whenFree = whenFree
  }

  get areFree(): boolean {
    return this.#visits.asking < this.#count && this.#visits.waiting < waitingMax
  }

  take(): FetchSlot {
    let stage: Stage = 'asking'
    this.#visits.asking++
    const move = (next: Stage): void => {
      this.#visits[stage]--
      this.#visits[next]++
      stage = next
      this.#whenFree()
    }
    return {
      answered: () => {
        if (stage === 'asking' && this.#visits.answered < answeredMax) move('answered')
      },
      untilOthers: (others) => {
        if (stage !== 'waiting') move('waiting')
        return others
      },
      end: () => {
        this.#visits[stage]--
        this.#whenFree()
      },
    }
  }
}
