// Captures on their way from one store to another: replicas give them to each other, and take them.
//
// A capture goes as its records are stored, compressed once by whoever captured it; only what the taker cannot resolve (a
// revisit of a payload that it lacks, a delta on a version that it lacks) goes whole, when it says so. What goes is a stretch of a
// WARC file, so nothing but the records themselves is believed: every payload must have its digest, or nothing is kept.
// Taking the same capture again does nothing.

import { CopyGiving, type GivingNeeds } from './copy-giving.ts'
import { CopyTaking, type TakingNeeds } from './copy-taking.ts'
import type { CopyWorkers } from './whole-copies.ts'

/** A capture's records, the main one first. */
export type CaptureCopy = Uint8Array | AsyncIterable<Uint8Array>

/** `lacking`: it must come whole. */
export type TakeOutcome = 'kept' | 'known' | 'lacking' | 'taken-down'

export interface GiveOptions {
  /** With its payload, whatever is stored here. */
  isWhole?: boolean
}

export class Copying {
  readonly #giving: CopyGiving
  readonly #taking: CopyTaking

  constructor(needs: GivingNeeds & TakingNeeds) {
    this.#giving = new CopyGiving(needs)
    this.#taking = new CopyTaking(needs)
  }

  /** undefined when the capture is not here, or not to be shown. Throws when it is damaged. */
  give(cursor: string, options: GiveOptions = {}): Promise<CaptureCopy | undefined> {
    return this.#giving.give(cursor, options)
  }

  /** Resolves when it is durable. Throws WarcDamage when a byte of it is wrong; then nothing is kept. */
  take(copy: CaptureCopy): Promise<TakeOutcome> {
    return this.#taking.take(copy)
  }

  /** From now on what comes is checked there. */
  checkIn(workers: CopyWorkers): void {
    this.#taking.checkIn(workers)
  }
}
