// Source reader: reads the events of one peer's sites for one who follows, a page at a time.
//
// Sites that the peer takes over while we read are read from the cursor on, before we go on: their last events may not have been
// told by whoever crawled them before. So events of a site come in their order, whoever tells them.

import { decodeEvent, type StoredEvent } from '../event-coding.ts'
import { positionAfter, stampOf } from '../local-events.ts'
import type { ReadAnswer, ReadQuestion } from './questions.ts'

interface Missed {
  readonly takenAfter: number
  readonly generation: number
  position: Buffer
  readonly upTo: Buffer
}

export class SourceReader {
  #instance = 0
  #generation = 0
  #position: Buffer
  #missed: Missed | undefined
  #isAtEnd = false
  #buffer: readonly StoredEvent[] = []
  droppedUpTo = 0

  constructor(cursor: number) {
    this.#position = positionAfter(cursor)
  }

  /** Events that came and are not told yet. */
  get buffered(): readonly StoredEvent[] {
    return this.#buffer
  }

  /** All that there is has come. */
  get isAtEnd(): boolean {
    return this.#isAtEnd && this.#missed === undefined
  }

  /** Up to which stamp all has come. */
  get progress(): number {
    if (this.#missed !== undefined) return stampOf(this.#missed.position) - 1
    return this.#isAtEnd ? stampOf(this.#position) : stampOf(this.#position) - 1
  }

  /** No event that is still to come has a smaller stamp, but of sites that are taken over. */
  get horizon(): number {
    if (this.#missed !== undefined) return Number.POSITIVE_INFINITY
    return this.#isAtEnd ? stampOf(this.#position) : (this.#buffer.at(-1)?.stamp ?? stampOf(this.#position))
  }

  take(count: number): StoredEvent[] {
    const taken = this.#buffer.slice(0, count)
    this.#buffer = this.#buffer.slice(count)
    return taken
  }

  /** What to ask next. Only when nothing is buffered. */
  question(cursor: number, waitMs: number): ReadQuestion {
    const missed = this.#missed
    return {
      instance: this.#instance,
      generation: missed?.generation ?? this.#generation,
      after: missed?.position ?? this.#position,
      missed: missed && { takenAfter: missed.takenAfter, upTo: missed.upTo },
      waitMs: missed ? 0 : waitMs,
      cursor,
    }
  }

  /** Whether all is as it was: no other process, no site taken over, none on its way. */
  note(answer: ReadAnswer, cursor: number): boolean {
    switch (answer.kind) {
      case 'restarted':
        this.#instance = answer.instance
        this.#generation = answer.generation
        this.#position = positionAfter(cursor)
        this.#missed = undefined
        this.#isAtEnd = false
        return false
      case 'taken':
        this.#missed = {
          takenAfter: this.#generation,
          generation: answer.generation,
          position: positionAfter(cursor),
          upTo: this.#position,
        }
        return false
      case 'page':
        return this.#noteIn(answer)
    }
  }

  #noteIn({ events, next, isEnd, droppedUpTo, unsettled }: Extract<ReadAnswer, { kind: 'page' }>): boolean {
    this.#buffer = events.map(decodeEvent)
    this.droppedUpTo = droppedUpTo
    const missed = this.#missed
    if (missed === undefined) {
      this.#position = next
      this.#isAtEnd = isEnd
      return unsettled === 0
    }
    missed.position = next
    if (isEnd) {
      this.#generation = missed.generation
      this.#missed = undefined
    }
    return false
  }
}
