// Switches on sums over the captures, for a peer that compares what it holds with others. Without them nothing is paid.
//
// Invariant: the note is there only while every capture that came or went since was told to the sums, or they do not cover
// it yet. A store that is opened without them and changed takes the note away; then they are made anew.

import type { Clock } from '../../platform/clock.ts'
import type { Table } from '../../platform/storage/key-value.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { type CaptureRoster, rosterKey } from './capture-roster.ts'

/** Range checksums, implemented by replication; called inside index changes. */
export interface Sums {
  add(key: Uint8Array, id: Uint8Array): void
  remove(key: Uint8Array, id: Uint8Array): void
  /** The change is about to end. */
  finish(): void
  /** It has ended, one way or the other. */
  forget(): void
  /** Nothing is covered any more. */
  restart(): void
  /** Goes on over captures that were there before: over so many. True when all are covered. */
  cover(entriesMax: number): boolean
}

export type MakeSums<S extends Sums> = (table: Table, roster: CaptureRoster) => S

const noteName = 'captureSums'
/** In one change: some ten milliseconds. */
const entriesAtOnce = 1_000

export class Summing {
  readonly #index: StoreIndex
  readonly #clock: Clock
  readonly #roster: CaptureRoster

  constructor(needs: { index: StoreIndex; clock: Clock; roster: CaptureRoster }) {
    this.#index = needs.index
    this.#clock = needs.clock
    this.#roster = needs.roster
    // Until they are switched on every change makes those of an earlier time wrong.
    let mayBeSummed = true
    const unsummed = (): void => {
      if (!mayBeSummed) return
      if (this.#index.note(noteName) === undefined) mayBeSummed = false
      else this.#index.removeNote(noteName)
    }
    this.#index.watchCaptures({ added: unsummed, removed: unsummed })
  }

  /** From now on they are told of every change. Once only. */
  async switchOn<S extends Sums>(make: MakeSums<S>): Promise<S> {
    const sums = make(this.#index.sumTable(), this.#roster)
    await this.#index.change(() => {
      if (this.#index.note(noteName) === undefined) sums.restart()
      this.#index.putNote(noteName, true)
      this.#index.watchChanges(sums)
      this.#index.watchCaptures({
        added: (key, id) => sums.add(rosterKey(key, id), id),
        removed: (key, id) => sums.remove(rosterKey(key, id), id),
      })
    })
    return sums
  }

  /** Over all that was there before, a step at a time. */
  async cover(sums: Sums, signal?: AbortSignal): Promise<void> {
    while (!(await this.#index.change(() => sums.cover(entriesAtOnce)))) await this.#clock.sleep(0, signal)
  }
}
