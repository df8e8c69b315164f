// A ring of a durability run: who comes next clockwise from an arc, of those who count: who answer, unless told otherwise.

import type { Arc } from './arc.ts'
import type { Member } from './member.ts'
import type { RingPeer } from './range-copies.ts'

interface Place {
  at: number
  member: Member
}

export class RingPlaces {
  readonly #counts: (member: Member) => boolean
  /** Sorted clockwise. */
  readonly #places: Place[] = []

  constructor(counts: (member: Member) => boolean = ({ isPresent }) => isPresent) {
    this.#counts = counts
  }

  add(member: Member): void {
    for (const at of member.life.places) this.#places.splice(this.#indexOf(at), 0, { at, member })
  }

  remove(member: Member): void {
    for (const at of member.life.places) this.#places.splice(this.#indexOf(at), 1)
  }

  /** The first members that count, each once. */
  membersAfter(at: number, count: number): Member[] {
    const found: Member[] = []
    const start = this.#indexOf(at)
    for (let step = 0; step < this.#places.length && found.length < count; step++) {
      const { member } = this.#places[(start + step) % this.#places.length]!
      if (this.#counts(member) && !found.includes(member)) found.push(member)
    }
    return found
  }

  peersAfter(arc: Arc, count: number): RingPeer[] {
    return this.membersAfter(arc.place, count).map(({ name, network, isPresent }) => ({
      peer: name,
      network,
      hasRoom: isPresent,
    }))
  }

  /** Where the arcs begin of which the member is, or would be, among the first `count`; one for each of its places. */
  reachOf(member: Member, count: number): { from: number; to: number }[] {
    return member.life.places.map((to) => ({ from: this.#placeBefore(to, member, count), to }))
  }

  #placeBefore(to: number, member: Member, count: number): number {
    const others = new Set<Member>()
    const start = this.#indexOf(to)
    for (let step = 1; step <= this.#places.length; step++) {
      const place = this.#places[(start - step + this.#places.length) % this.#places.length]!
      if (!this.#counts(place.member) || place.member === member) continue
      others.add(place.member)
      if (others.size === count) return place.at
    }
    return to
  }

  /** The first place at or after this one. */
  #indexOf(at: number): number {
    let [low, high] = [0, this.#places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#places[middle]!.at < at) low = middle + 1
      else high = middle
    }
    return low
  }
}
