// Places that peers take and give up by how full they are, with the plan of place-plan.ts: one peer after the other, in
// rounds, until nobody wants anything else. What lies on the ring stays as it is meanwhile. Peers, messages and disks are not simulated.

import { type RingKey, ringKeyOf } from '../../src/model/ring-key.ts'
import {
  changesOfGiving,
  changesOfTaking,
  keepersAt,
  type MassOf,
} from '../../src/network/even-places/kept-change.ts'
import { type Fill, type PlaceStep, planStep } from '../../src/network/even-places/place-plan.ts'
import { placeTermsDefault } from '../../src/network/even-places/place-terms.ts'
import { placeOf, positionsMax } from '../../src/network/ring/protocol/place.ts'
import type { Contact } from '../../src/network/ring/ring.ts'
import type { PeerId } from '../../src/platform/network/network.ts'

export interface Lying {
  readonly key: RingKey
  readonly mass: number
}

const roundsMax = 40

export class PlaceModel {
  /** In order. */
  ring: Contact[] = []
  /** Of everything that lies there, what was to be copied for them. */
  copied = 0
  readonly #seed: string
  readonly #copies: number
  readonly #weights = new Map<PeerId, number>()
  readonly #keys: RingKey[]
  /** What lies before each key, and of all. */
  readonly #sums: number[]

  constructor(seed: string, copies: number, lying: readonly Lying[]) {
    this.#seed = seed
    this.#copies = copies
    const sorted = lying.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    this.#keys = sorted.map(({ key }) => key)
    let sum = 0
    this.#sums = [0, ...sorted.map(({ mass }) => (sum += mass))]
  }

  /** With its first places, as many as its share. */
  join(peer: PeerId, weight: number): void {
    this.#weights.set(peer, weight)
    for (let index = 0; index < weight; index++) this.#take(this.#contact(peer, index))
  }

  leave(peer: PeerId): void {
    this.#weights.delete(peer)
    this.ring = this.ring.filter((contact) => contact.peer !== peer)
  }

  /** Gives how many rounds it took. */
  settle(): number {
    for (let round = 0; round < roundsMax; round++) {
      const order = [...this.#weights.keys()].map(
        (peer) => [ringKeyOf(`${this.#seed} ${round} ${peer}`), peer] as const,
      )
      const took = order.sort().filter(([, peer]) => this.#look(peer))
      if (took.length === 0) return round
    }
    return roundsMax
  }

  kept(): Map<PeerId, number> {
    const kept = new Map([...this.#weights.keys()].map((peer) => [peer, 0]))
    for (const [at, { place }] of this.ring.entries()) {
      const mass = this.#massOf(this.ring.at(at - 1)!.place, place)
      for (const peer of keepersAt(this.ring, at, this.#copies)) kept.set(peer, kept.get(peer)! + mass)
    }
    return kept
  }

  /** The most that a peer keeps for its share, over the mean. Who would have to keep more than everything keeps everything. */
  unevenness(): number {
    const kept = this.kept()
    const parts = partsOf(this.#weights, Math.min(this.#copies, this.#weights.size))
    const all = this.#sums.at(-1)!
    return Math.max(...[...parts].map(([peer, part]) => kept.get(peer)! / (part * all)))
  }

  #look(self: PeerId): boolean {
    const step = this.#stepOf(self)
    if (step === undefined) return false
    const before = this.kept()
    if (step.kind === 'take') this.#take(this.#contact(self, step.index))
    else this.#give(this.#contact(self, step.index))
    if (step.instead !== undefined) this.#give(this.#contact(self, step.instead))
    for (const [peer, kept] of this.kept())
      this.copied += Math.max(0, kept - before.get(peer)!) / this.#sums.at(-1)!
    return true
  }

  #stepOf(self: PeerId): PlaceStep | undefined {
    const own = this.ring.filter(({ peer }) => peer === self).map(({ index }) => index)
    const free = Array.from({ length: positionsMax }, (_, index) => index).filter(
      (index) => !own.includes(index),
    )
    const others = free.map((index) => ({
      index,
      changes: changesOfTaking(this.ring, this.#contact(self, index), this.#copies, this.#massOf),
    }))
    const given = own.map((index) => ({
      index,
      changes: changesOfGiving(this.ring, this.#contact(self, index).place, this.#copies, this.#massOf),
    }))
    const heard = new Set([self, ...[...others, ...given].flatMap(({ changes }) => [...changes.keys()])])
    const kept = this.kept()
    const fills = new Map<PeerId, Fill>()
    for (const peer of heard) fills.set(peer, { kept: kept.get(peer)!, weight: this.#weights.get(peer)! })
    return planStep({ self, fills, own: given, others, taken: own.length }, placeTermsDefault)
  }

  #take(contact: Contact): void {
    this.ring = [...this.ring, contact].sort((one, other) => (one.place < other.place ? -1 : 1))
  }

  #give({ place }: Contact): void {
    this.ring = this.ring.filter((contact) => contact.place !== place)
  }

  #contact(peer: PeerId, index: number): Contact {
    return { peer, index, address: '', place: placeOf('load', `${this.#seed} ${peer}`, index) }
  }

  readonly #massOf: MassOf = (after, upTo) => {
    const [from, to] = [this.#sumUpTo(after), this.#sumUpTo(upTo)]
    return after < upTo ? to - from : this.#sums.at(-1)! - from + to
  }

  #sumUpTo(place: RingKey): number {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#keys[middle]! <= place) low = middle + 1
      else high = middle
    }
    return this.#sums[low]!
  }
}

/** Of everything, the part that each is to keep for its share: never more than one copy. */
export function partsOf(weights: ReadonlyMap<PeerId, number>, copies: number): Map<PeerId, number> {
  const parts = new Map<PeerId, number>()
  for (;;) {
    const open = [...weights].filter(([peer]) => !parts.has(peer))
    const left = copies - parts.size
    const sum = open.reduce((total, [, weight]) => total + weight, 0)
    const whole = open.filter(([, weight]) => (left * weight) / sum >= 1)
    if (whole.length === 0)
      return new Map([...parts, ...open.map(([peer, weight]) => [peer, (left * weight) / sum] as const)])
    for (const [peer] of whole) parts.set(peer, 1)
  }
}
