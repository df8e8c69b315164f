// Fetch slots: limits how many hosts are asked at once, and how many visits may be under way.
//
// A visit takes a slot. On a network it returns the slot when its host has answered; from then on visits are limited by the
// memory of their answers (`answeredMax`), and at the end by the number that wait for other peers (`waitingMax`). Otherwise the
// latency of other peers, threads or the disk would limit how many hosts are asked. Without a network the slot is held to the
// end, so that what a killed process has to fetch again is bounded by the number of slots.

import type { UntilOthers } from './visit/archive.ts'

export interface FetchSlot {
  /** Its host has answered, and other peers help to store the answer: returns the slot, if not too many visits go on without
   * one. */
  answered(): void
  /** Waits for other peers, without a slot from now on. */
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
