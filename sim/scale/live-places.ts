// Who owns a key, as only one who sees the whole ring can know: the places that own their arcs, in the order of the ring, since
// when, and which of them have died lately.
//
// A position that has joined owns nothing before its successor has handed it its arc: until then it waits here, and is looked at
// every so often, so that it may be taken for an owner that much too late.

import type { RingKey } from '../../src/model/ring-key.ts'
import type { Position } from '../../src/network/ring/position.ts'
import { arcBetween } from '../../src/network/ring/protocol/place.ts'
import type { Contact } from '../../src/network/ring/ring.ts'

/** Longer than a lookup takes. */
const rememberedMs = 60_000

interface Tenure {
  readonly position: Position
  readonly fromMs: number
}

export class LivePlaces {
  readonly #tenures = new Map<RingKey, Tenure>()
  readonly #sorted: RingKey[] = []
  readonly #young = new Map<RingKey, Position>()
  /** The first of them died first. */
  readonly #diedMs = new Map<RingKey, number>()

  get count(): number {
    return this.#sorted.length
  }

  /** A member that may not own anything yet. */
  joined(position: Position): void {
    const { place } = position.machine.self
    if (!this.#tenures.has(place)) this.#young.set(place, position)
  }

  died({ machine }: Position, nowMs: number): void {
    const { place } = machine.self
    this.#young.delete(place)
    if (!this.#tenures.delete(place)) return
    this.#sorted.splice(this.#rankOf(place), 1)
    this.#diedMs.set(place, nowMs)
  }

  update(nowMs: number): void {
    for (const [place, position] of this.#young) {
      if (!position.owns(place)) continue
      this.#young.delete(place)
      this.#tenures.set(place, { position, fromMs: nowMs })
      this.#sorted.splice(this.#rankOf(place), 0, place)
    }
    for (const [place, atMs] of this.#diedMs) {
      if (atMs > nowMs - rememberedMs) break
      this.#diedMs.delete(place)
    }
  }

  /** Was there a moment in that time, up to now, when this place stood first at or after the key of those that owned anything? */
  wasOwner(place: RingKey, key: RingKey, startMs: number): boolean {
    const diedMs = this.#diedMs.get(place)
    const isYoung = this.#young.get(place)?.owns(place) ?? false
    if (!this.#tenures.has(place) && !isYoung && (diedMs === undefined || diedMs < startMs)) return false
    const arc = place === key ? 0 : arcBetween(key, place)
    for (const { position, fromMs } of this.from(key, this.count)) {
      const other = position.machine.self.place
      if (other === place || (other !== key && arcBetween(key, other) >= arc)) return true
      if (fromMs < startMs) return false
    }
    return true
  }

  /** So many from the key on. */
  *from(key: RingKey, count: number): Generator<Tenure> {
    const start = this.#rankOf(key)
    for (let step = 0; step < Math.min(count, this.count); step++)
      yield this.#tenures.get(this.#sorted[(start + step) % this.count]!)!
  }

  /** As many of all of them, one as likely as the other. */
  contactsFrom(key: RingKey, count: number): Contact[] {
    return Array.from(this.from(key, count), ({ position }) => position.machine.self)
  }

  /** How many lie before the key. */
  #rankOf(key: RingKey): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sorted[middle]! < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
