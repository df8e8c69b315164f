// The books of replication at some peers of a large ring: the real RingPlaces and Presence, which tell from the ring who keeps what,
// who is missed, and how long that is waited for.
//
// At some only: what one of them remembers of others (4,096 at most) is larger than all else of a place, and telling it anew after
// every change of the ring takes longer than the ring itself.

import { RingPlaces } from '../../src/network/membership/presence/ring-places.ts'
import { defaultPatience } from '../../src/network/replication/copies/patience.ts'
import { replicaSet } from '../../src/network/ring/replica-set.ts'
import { ringOptionsDefault } from '../../src/network/ring/ring-options.ts'
import type { SimulatedPeer } from '../ring/ring-world.ts'
import type { LivePlaces } from './live-places.ts'

const { replicas, successorsMax } = ringOptionsDefault

interface Book {
  readonly peer: SimulatedPeer
  readonly places: RingPlaces
  /** Who was to have what this peer owns, when it was last looked at. */
  keepers: ReadonlySet<string>
}

export class Bookkeeping {
  readonly #live: LivePlaces
  readonly #lookMs: number
  readonly #books = new Map<SimulatedPeer, Book>()
  #wanted = 0
  #cpuMs = 0

  constructor(live: LivePlaces, lookMs: number) {
    this.#live = live
    this.#lookMs = lookMs
  }

  get count(): number {
    return this.#books.size
  }

  begin(peer: SimulatedPeer): void {
    const places = new RingPlaces(
      { ring: peer.node, clock: peer.port, learn: () => {} },
      { kind: 'invited', replicas, patience: defaultPatience, lookMs: this.#lookMs },
    )
    const book: Book = { peer, places, keepers: new Set() }
    this.#books.set(peer, book)
    places.onChange(() => this.#plan(book))
  }

  end(peer: SimulatedPeer): void {
    this.#books.get(peer)?.places.close()
    this.#books.delete(peer)
  }

  /** Since this was last asked: copies that would have been begun; and now: whose replica set is that of who sees all. */
  take() {
    let [owners, agreeing, known, missed] = [0, 0, 0, 0]
    for (const { peer, places } of this.#books.values()) {
      known += places.members().length
      missed += places.missed().length
      const { self } = peer.node.positions[0]!.machine
      const found = places.replicaSet(self.place)
      if (found === undefined) continue
      owners++
      const [own, ...next] = this.#live.contactsFrom(self.place, successorsMax + 1)
      const expected = replicaSet(own!, next, replicas).map(({ peer: name }) => name)
      if (expected.join() === found.join()) agreeing++
    }
    const figures = {
      books: this.count,
      owners,
      agreeing,
      known,
      missed,
      copiesWanted: this.#wanted,
      planMs: Math.round(this.#cpuMs),
    }
    this.#wanted = 0
    this.#cpuMs = 0
    return figures
  }

  /** As the owner of an arc plans its copies when the ring has changed: everybody of the replica set and of the full set gets them. */
  #plan(book: Book): void {
    const startMs = performance.now()
    const keepers = new Set(book.places.ownArcs().flatMap(({ replicas: now, full }) => [...now, ...full]))
    if (book.keepers.size > 0) for (const peer of keepers) if (!book.keepers.has(peer)) this.#wanted++
    if (keepers.size > 0) book.keepers = keepers
    this.#cpuMs += performance.now() - startMs
  }
}
