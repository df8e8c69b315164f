// Recent holders: caches which peers hold a key, by the ring: a page is read in a hundred requests, and needs one lookup.
//
// Bounded, and never older than `ageMs`. A peer that does not hold the key any more answers that it is not complete, and readers
// ask others.

import { PolyhistorError } from '../../errors.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Holders } from '../../network/remote-reads/network-view.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ReadingPlaces } from './network-reading.ts'

interface Entry {
  readonly holders: Promise<Holders>
  readonly atMs: number
}

const ageMs = 5_000
const entriesMax = 2_000

export class RecentHolders {
  readonly #clock: Clock
  readonly #places: ReadingPlaces
  readonly #entries = new LruCache<RingKey, Entry>({ max: entriesMax })

  constructor(needs: { clock: Clock; places: ReadingPlaces }) {
    this.#clock = needs.clock
    this.#places = needs.places
  }

  of(key: RingKey): Promise<Holders> {
    const known = this.#entries.get(key)
    const nowMs = this.#clock.monotonicMs()
    if (known !== undefined && nowMs - known.atMs < ageMs) return known.holders
    const holders = this.#ask(key)
    this.#entries.set(key, { holders, atMs: nowMs })
    holders.catch(() => this.#entries.delete(key))
    return holders
  }

  async #ask(key: RingKey): Promise<Holders> {
    try {
      const { owner, replicas } = await this.#places.lookup(key)
      return { peers: replicas.map(({ peer }) => peer), upTo: owner.position }
    } catch (error) {
      // The ring is healing: who would keep it if all were well may answer all the same.
      if (!(error instanceof PolyhistorError)) throw error
      return { peers: this.#places.fullSet(key), upTo: undefined }
    }
  }
}
