// Traces that a takedown leaves in the records of others: revisits of a page with the same payload name the URL that had
// it first. Finds the volumes that hold such revisits, so that compaction rewrites them.
//
// Only a walk over the index tells who shares a payload, and only its record what a capture names whose payload is elsewhere:
// so it is put off from the takedown to the next compaction.

import { WarcDamage } from '../../formats/warc/damage.ts'
import type { Clock } from '../../platform/clock.ts'
import { DiskError } from '../../platform/storage/disk.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { Ledger } from '../index/ledger.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { RecordReader } from '../records/record-reader.ts'
import { earlierIn } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'

const noteName = 'takedownTraces'
const entriesPerTurn = 500

export class TakedownTraces {
  readonly #index: StoreIndex
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #records: RecordReader

  constructor(needs: { index: StoreIndex; ledger: Ledger; clock: Clock; records: RecordReader }) {
    this.#index = needs.index
    this.#ledger = needs.ledger
    this.#clock = needs.clock
    this.#records = needs.records
  }

  /** Inside the index change that carries out a takedown. */
  mayExist(): void {
    this.#index.putNote(noteName, (this.#index.note<number>(noteName) ?? 0) + 1)
  }

  /** The same for a takedown of what may never have been here. */
  mayExistElsewhere(): void {
    for (const _ of this.#index.elsewhere.range({ limit: 1 })) this.mayExist()
  }

  /** Calls the volumes urgent that hold traces. */
  async find(hides: (url: string) => boolean, signal?: AbortSignal): Promise<void> {
    const count = this.#index.note<number>(noteName)
    if (count === undefined) return
    await this.#walk(hides, signal)
    await this.#index.changeForGood(() => {
      // A takedown while we walked asks for another walk.
      if (this.#index.note(noteName) === count) this.#index.removeNote(noteName)
    })
  }

  async #walk(hides: (url: string) => boolean, signal?: AbortSignal): Promise<void> {
    for (let from: Uint8Array = Buffer.from([0]); ; ) {
      const page = [...this.#index.captures({ from, limit: entriesPerTurn })]
      const volumes = new Set<number>()
      for (const [, entry] of page) {
        const { kind, content, location, isElsewhere } = entry
        if (kind !== 'same' && kind !== 'not-modified') continue
        const isTrace = isElsewhere
          ? !volumes.has(location.volume) && (await this.#names(entry, hides))
          : content && this.#index.content(content)?.isOrphaned
        if (isTrace) volumes.add(location.volume)
      }
      if (volumes.size > 0) {
        await this.#index.change(() => {
          for (const volume of volumes) this.#ledger.markUrgent(volume)
        })
      }
      if (page.length < entriesPerTurn) return
      from = Buffer.concat([page.at(-1)![0], Buffer.from([0])])
      await this.#clock.sleep(0, signal)
    }
  }

  async #names({ location }: CaptureEntry, hides: (url: string) => boolean): Promise<boolean> {
    try {
      const earlier = earlierIn(await this.#records.start(location))
      return earlier !== undefined && hides(earlier.url)
    } catch (error) {
      // What cannot be read shows nothing. A scrub finds it.
      if (error instanceof WarcDamage || error instanceof StoreError || error instanceof DiskError)
        return false
      throw error
    }
  }
}
