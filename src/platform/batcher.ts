// Batcher: items come one at a time and are handled many at a time; each caller gets the answer to its own.
//
// A batch begins `waitMs` after its first item came, but no sooner than `everyMs` after the batch before it; or as soon as `enough`
// items wait. Without either, the items of one moment go together. A batch that fails fails for all of its callers.

import { PolyhistorError } from '../errors.ts'
import { LruCache } from '../model/lru-cache.ts'
import type { Clock, Timer } from './clock.ts'

const batchersMax = 1_024
/** For questions to peers: far less than a call takes. */
export const momentMs = 2

export interface BatchLimits<Item> {
  /** In one batch. */
  readonly itemsMax: number
  readonly waitMs?: number
  readonly everyMs?: number
  /** As many as fit into a batch when not given. */
  readonly enough?: number
  /** Under way at the same time. */
  readonly batchesMax?: number
  /** Beyond these, callers are refused with 'batches-full'. */
  readonly waitingMax?: number
  /** In one batch, as `bytesOf` tells; an item that is larger than that goes alone. */
  readonly bytesMax?: number
  bytesOf?(item: Item): number
}

/** Gives an answer to each, in order. */
type HandleBatch<Item, Answer> = (items: Item[]) => Promise<readonly Answer[]>

interface Waiting<Item, Answer> {
  readonly item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export class Batcher<Item, Answer> {
  readonly #clock: Clock
  readonly #limits: Required<BatchLimits<Item>>
  readonly #handle: HandleBatch<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []
  #underWay = 0
  /** The earliest moment for the next batch, while fewer than `enough` wait. */
  #dueMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  constructor(needs: { clock: Clock }, limits: BatchLimits<Item>, handle: HandleBatch<Item, Answer>) {
    this.#clock = needs.clock
    this.#limits = {
      waitMs: 0,
      everyMs: 0,
      enough: limits.itemsMax,
      batchesMax: Number.POSITIVE_INFINITY,
      waitingMax: Number.POSITIVE_INFINITY,
      bytesMax: Number.POSITIVE_INFINITY,
      bytesOf: () => 0,
      ...limits,
    }
    this.#handle = handle
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= this.#limits.waitingMax) {
        reject(new PolyhistorError('batches-full', 'Too many wait for the next batch', { retry: 'later' }))
        return
      }
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#limits.enough) this.#beginDue()
      else if (this.#waiting.length === 1) this.#first()
    })
  }

  #first(): void {
    this.#dueMs = Math.max(this.#dueMs, this.#clock.monotonicMs() + this.#limits.waitMs)
    // Let the others of the same moment come along.
    queueMicrotask(() => this.#beginDue())
  }

  #beginDue(): void {
    const { enough, batchesMax } = this.#limits
    while (this.#waiting.length > 0 && this.#underWay < batchesMax) {
      const leftMs = this.#waiting.length >= enough ? 0 : this.#dueMs - this.#clock.monotonicMs()
      if (leftMs > 0) {
        this.#timer ??= this.#clock.after(leftMs, () => {
          this.#timer = undefined
          this.#beginDue()
        })
        return
      }
      void this.#run(this.#take())
    }
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #take(): Waiting<Item, Answer>[] {
    const { itemsMax, everyMs, bytesMax, bytesOf } = this.#limits
    this.#dueMs = this.#clock.monotonicMs() + everyMs
    let bytes = 0
    const count = this.#waiting.findIndex(({ item }, place) => {
      bytes += bytesOf(item)
      return place === itemsMax || (bytes > bytesMax && place > 0)
    })
    return this.#waiting.splice(0, count === -1 ? this.#waiting.length : count)
  }

  async #run(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    this.#underWay++
    try {
      const answers = await this.#handle(batch.map(({ item }) => item))
      for (const [place, { resolve }] of batch.entries()) resolve(answers[place]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.#underWay--
    this.#beginDue()
  }
}

/** A batcher for each of many, such as peers. Those that were used least recently are forgotten, and end what they have begun. */
export class Batchers<Key, Item, Answer> {
  readonly #make: (key: Key) => Batcher<Item, Answer>
  readonly #batchers = new LruCache<Key, Batcher<Item, Answer>>({ max: batchersMax })

  constructor(
    needs: { clock: Clock },
    limits: BatchLimits<Item>,
    handle: (key: Key, items: Item[]) => Promise<readonly Answer[]>,
  ) {
    this.#make = (key) => new Batcher(needs, limits, (items) => handle(key, items))
  }

  add(key: Key, item: Item): Promise<Answer> {
    const batcher = this.#batchers.get(key) ?? this.#make(key)
    this.#batchers.set(key, batcher)
    return batcher.add(item)
  }
}
