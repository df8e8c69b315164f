// Residents of a volume: the captures and contents that the index places there, in the order of their offsets.
//
// One walk over the index serves several volumes. When more is found than fits in memory, the last of the volumes are
// left for another walk.

import type { Clock } from '../../platform/clock.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { contentTableKey } from '../index/content-entry.ts'
import { isOfCapture, type Ledger } from '../index/ledger.ts'
import type { Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'

export type Resident =
  /** With the content, if that lies in the capture's record. */
  | { kind: 'capture'; key: Uint8Array; offset: number; bytes: number }
  /** In a record of its own. */
  | { kind: 'content'; key: ContentKey; offset: number; bytes: number }

interface Residents {
  /** In the order of the volumes asked for: all of them, or the first few. */
  volumes: Map<number, Resident[]>
  /** Entries that point at what is in no volume, name contents that are not, or stand out of order. */
  dangling: number
  /** How many captures fewer there are than were counted when they came and went; undefined when some did so meanwhile. */
  missing: number | undefined
}

const entriesPerTurn = 500

export class ResidentScan {
  readonly #index: StoreIndex
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #residentsMax: number

  constructor(needs: { index: StoreIndex; ledger: Ledger; clock: Clock }, residentsMax: number) {
    this.#index = needs.index
    this.#ledger = needs.ledger
    this.#clock = needs.clock
    this.#residentsMax = residentsMax
  }

  async find(volumes: readonly number[], signal?: AbortSignal): Promise<Residents> {
    const search = new Search(volumes, this.#residentsMax)
    const before = this.#comings()
    const captures = await this.#walkCaptures(search, signal)
    const isQuiet = this.#comings() === before
    const missing = isQuiet ? Math.max(0, this.#ledger.totals().captures - captures) : undefined
    await this.#walkContents(search, signal)
    for (const residents of search.found.values()) residents.sort((a, b) => a.offset - b.offset)
    return { volumes: search.found, dangling: search.dangling, missing }
  }

  /** Another text whenever a capture has come or gone. */
  #comings(): string {
    const { captures } = this.#ledger.totals()
    return JSON.stringify({ captures, ...this.#ledger.accounts.removed })
  }

  async #walkCaptures(search: Search, signal?: AbortSignal): Promise<number> {
    let count = 0
    for (let from: Uint8Array = Buffer.from([0]); ; ) {
      const page = [...this.#index.captures({ from, limit: entriesPerTurn })]
      count += page.length
      let before = from
      for (const [key, { location, companionBytes, content, isElsewhere }] of page) {
        search.inOrder(before, key)
        before = key
        if (this.#isOutside(location)) search.dangling++
        else if (content && !isElsewhere && this.#index.content(content) === undefined) search.dangling++
        const { volume, offset, length } = location
        search.add(volume, { kind: 'capture', key, offset, bytes: length + companionBytes })
      }
      if (page.length < entriesPerTurn) return count
      from = Buffer.concat([page.at(-1)![0], Buffer.from([0])])
      await this.#clock.sleep(0, signal)
    }
  }

  async #walkContents(search: Search, signal?: AbortSignal): Promise<void> {
    for (let from: Uint8Array = Buffer.from([0]); ; ) {
      const page = [...this.#index.contents({ from, limit: entriesPerTurn })]
      let before = from
      for (const [key, entry] of page) {
        const tableKey = contentTableKey(key)
        search.inOrder(before, tableKey)
        before = tableKey
        const { volume, offset, length } = entry.location
        if (this.#isOutside(entry.location)) search.dangling++
        if (!isOfCapture(entry)) search.add(volume, { kind: 'content', key, offset, bytes: length })
      }
      if (page.length < entriesPerTurn) return
      from = Buffer.concat([contentTableKey(page.at(-1)![0]), Buffer.from([0])])
      await this.#clock.sleep(0, signal)
    }
  }

  #isOutside({ volume, offset, length }: Location): boolean {
    const entry = this.#index.volume(volume)
    return entry === undefined || offset + length > entry.sizeBytes
  }
}

class Search {
  readonly found: Map<number, Resident[]>
  dangling = 0
  readonly #residentsMax: number
  #count = 0

  constructor(volumes: readonly number[], residentsMax: number) {
    this.found = new Map(volumes.map((volume) => [volume, []]))
    this.#residentsMax = residentsMax
  }

  /** What stands out of order is not found by its key. */
  inOrder(before: Uint8Array, key: Uint8Array): void {
    if (Buffer.compare(before, key) > 0) this.dangling++
  }

  add(volume: number, resident: Resident): void {
    const residents = this.found.get(volume)
    if (residents === undefined) return
    residents.push(resident)
    this.#count++
    while (this.#count > this.#residentsMax && this.found.size > 1) {
      const [last, dropped] = [...this.found].at(-1)!
      this.found.delete(last)
      this.#count -= dropped.length
    }
  }
}
