// Lane: one job's queue for one host. The queue lies on disk; its head is in memory.
//
// Invariant: the window holds the first entries of the queue in order, none that is leased. `isWhole` says that nothing
// else is queued. What is put behind the window's last entry while more lies on disk stays on disk.

import type { MissedReason } from '../../jobs/job-outcome.ts'
import type { Host } from '../host-table.ts'
import type { BufferedTable } from '../write-buffer.ts'
import { LaneQueue, type Ranked } from './lane-queue.ts'

/** Shared by all lanes, for together they take memory. */
export interface WindowSize {
  /** Entries of a lane in memory. */
  entriesMax: number
}

/** Where a lane is kept. `heap`: waits for its time. `host`, `address`: waits for a request to end.
 * `disk`: its time is on disk, its queue not in memory. `empty`: nothing is queued. */
type LanePlace = 'heap' | 'host' | 'address' | 'disk' | 'empty'

export class Lane {
  readonly site: Buffer
  readonly job: number
  readonly authority: string
  /** URLs taken on, ever. */
  taken = 0
  /** Of these, still queued or leased. */
  pending = 0
  /** The time under which it is on disk; 0 while in memory, undefined when it is empty. */
  scheduledAtMs: number | undefined
  place: LanePlace = 'empty'
  /** What is queued is given up without asking, and why. */
  givenUp: MissedReason | undefined
  /** Of what a rule holds back, from this rank on all was looked at since the rules changed last; see held-urls.ts. */
  heldFrom: { readonly generation: number; readonly rank: string } | undefined
  isDirty = false
  /** Its site was handed to another frontier; wherever it still waits, it is passed over. */
  isGone = false
  host: Host | undefined
  readonly leased = new Set<string>()
  readonly queue: LaneQueue
  readonly #size: WindowSize
  #window: Ranked[] = []
  #isWhole = true

  constructor(table: BufferedTable, size: WindowSize, site: Buffer, job: number, authority: string) {
    this.queue = new LaneQueue(table, site, job, authority)
    this.#size = size
    this.site = site
    this.job = job
    this.authority = authority
  }

  /** The queue is on disk, and nothing of it in memory. */
  unload(): void {
    this.#window = []
    this.#isWhole = false
  }

  /** An entry was put on disk. */
  added(ranked: Ranked): void {
    const window = this.#window
    const last = window.at(-1)
    const isBehind = last === undefined || ranked.rank > last.rank
    if (isBehind) {
      if (!this.#isWhole) return
      if (window.length >= this.#size.entriesMax) this.#isWhole = false
      else window.push(ranked)
      return
    }
    window.splice(placeOf(window, ranked.rank), 0, ranked)
    if (window.length > this.#size.entriesMax) {
      window.pop()
      this.#isWhole = false
    }
  }

  /** An entry was taken from disk before it was leased. */
  removed(rank: string): void {
    const index = this.#window.findIndex((ranked) => ranked.rank === rank)
    if (index !== -1) this.#window.splice(index, 1)
  }

  /** The first of the queue. */
  peek(): Ranked | undefined {
    if (this.#window.length === 0 && !this.#isWhole) this.#refill()
    return this.#window[0]
  }

  take(): Ranked | undefined {
    const first = this.peek()
    this.#window.shift()
    return first
  }

  /** Whether all that is queued was tried before. Reads its queue as far as that is so. */
  get isAllRetries(): boolean {
    if (this.peek() === undefined || this.peek()!.entry.attempt === 0) return false
    for (const chunk of this.queue.chunks()) {
      for (const { rank, entry } of chunk) if (!this.leased.has(rank) && entry.attempt === 0) return false
    }
    return true
  }

  #refill(): void {
    for (const chunk of this.queue.chunks()) {
      for (const ranked of chunk) {
        if (this.leased.has(ranked.rank)) continue
        if (this.#window.length >= this.#size.entriesMax) return
        this.#window.push(ranked)
      }
    }
    this.#isWhole = true
  }
}

function placeOf(window: readonly Ranked[], rank: string): number {
  let index = window.length
  while (index > 0 && window[index - 1]!.rank > rank) index--
  return index
}
