// The damage log: what was found rotten and is not whole yet, and how much was found and mended since the store was made.
//
// It lies with the index, so that counts outlive restarts, and what nobody can mend counts once, however often it is found.
// Bounded: of very many only the first are known one by one; the others count each time that they are found.

import type { StoreIndex } from '../index/store-index.ts'

/** Where something rotten lies. */
export interface DamagedPlace {
  readonly volume: number
  readonly offset: number
  readonly what: string
}

export interface Soundness {
  /** When the last scrub began that went through everything; undefined before that. */
  readonly passStartedAtMs: number | undefined
  readonly passedAtMs: number | undefined
  /** Rotten things found, ever. */
  readonly found: number
  /** Those of them that were made whole again. */
  readonly mended: number
  /** Those that are rotten still, as far as is known. */
  readonly damaged: number
}

interface Book {
  passStartedAtMs?: number
  passedAtMs?: number
  found: number
  mended: number
  /** When each was last found. */
  open: Record<string, number>
}

const noteName = 'damageBook'
const openMax = 1_000
const sameMomentMs = 1_000

export class DamageLog {
  readonly #index: StoreIndex

  constructor(needs: { index: StoreIndex }) {
    this.#index = needs.index
  }

  get soundness(): Soundness {
    const { passStartedAtMs, passedAtMs, found, mended, open } = this.#read()
    return { passStartedAtMs, passedAtMs, found, mended, damaged: Object.keys(open).length }
  }

  found(place: DamagedPlace, isMended: boolean, nowMs: number): Promise<void> {
    return this.#change((damageLog) => {
      const key = keyOf(place)
      if (damageLog.open[key] === undefined) damageLog.found++
      if (isMended) {
        damageLog.mended++
        delete damageLog.open[key]
      } else if (Object.keys(damageLog.open).length < openMax) damageLog.open[key] = nowMs
    })
  }

  /** By other means than a scrub has. */
  mended(places: readonly DamagedPlace[]): Promise<void> {
    return this.#change((damageLog) => {
      for (const key of places.map(keyOf)) {
        if (damageLog.open[key] === undefined) continue
        damageLog.mended++
        delete damageLog.open[key]
      }
    })
  }

  /** When a scrub begins that is to find everything again: later than all that was found before, if only by a millisecond. A clock
   * that was set back is not waited for. */
  passStart(nowMs: number): number {
    const lately = Object.values(this.#read().open).filter((foundAtMs) => foundAtMs < nowMs + sameMomentMs)
    return Math.max(nowMs - 1, ...lately) + 1
  }

  /** Everything was read. What was not found again meanwhile is gone, or was well all the time. */
  passed(startedAtMs: number, nowMs: number): Promise<void> {
    return this.#change((damageLog) => {
      damageLog.passStartedAtMs = startedAtMs
      damageLog.passedAtMs = nowMs
      for (const [key, foundAtMs] of Object.entries(damageLog.open))
        if (foundAtMs < startedAtMs) delete damageLog.open[key]
    })
  }

  #read(): Book {
    return this.#index.note<Book>(noteName) ?? { found: 0, mended: 0, open: {} }
  }

  #change(change: (damageLog: Book) => void): Promise<void> {
    return this.#index.change(() => {
      const damageLog = this.#read()
      change(damageLog)
      this.#index.putNote(noteName, damageLog)
    })
  }
}

function keyOf({ volume, offset, what }: DamagedPlace): string {
  return `${volume} ${offset} ${what}`
}
