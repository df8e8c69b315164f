// Arcs: which parts of the ring are known to be whose, from lookups and from what owners said of themselves.
//
// Invariants: sorted, no two overlap, none wraps round the end of the ring (one that does is kept as two); at most `arcsMax`,
// of which the one learned longest ago goes first. What is learned later wins. It may be out of date: whoever is not the
// owner says so, and then what was known of that key is forgotten.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'

export interface Arc {
  readonly peer: PeerId
  /** The first text that is in it, which need not be a whole key. */
  readonly first: string
  readonly upTo: RingKey
  /** Its owner said itself where it begins and ends. */
  readonly isConfirmed: boolean
}

const ringEnd = 'f'.repeat(40) as RingKey

export class Arcs {
  readonly #arcsMax: number
  #sorted: Arc[] = []
  readonly #byAge = new Set<Arc>()
  /** Counted when asked for. */
  #peerCount: number | undefined

  constructor(arcsMax: number) {
    this.#arcsMax = arcsMax
  }

  get size(): number {
    return this.#sorted.length
  }

  get peerCount(): number {
    this.#peerCount ??= new Set(this.#sorted.map(({ peer }) => peer)).size
    return this.#peerCount
  }

  /** From a lookup: the peer owns from this key up to its place. */
  addFrom(key: RingKey, peer: PeerId, upTo: RingKey): void {
    this.#addAll(partsOf({ peer, first: key, upTo, isConfirmed: false }))
  }

  /** Its owner says so. */
  addAfter(after: RingKey, peer: PeerId, upTo: RingKey): void {
    // The least text that comes after a key.
    this.#addAll(partsOf({ peer, first: `${after}0`, upTo, isConfirmed: true }))
  }

  /** Its predecessor says so. What its owner said before, if it is the same, counts for more. */
  addNext(after: RingKey, peer: PeerId, upTo: RingKey): void {
    const parts = partsOf({ peer, first: `${after}0`, upTo, isConfirmed: false })
    if (!parts.every((part) => this.#isConfirmed(part))) this.#addAll(parts)
  }

  at(key: RingKey): Arc | undefined {
    const arc = this.#sorted[this.#rankOf(key)]
    return arc !== undefined && arc.first <= key ? arc : undefined
  }

  /** The arcs of the same peer further on, up to the ring's end. */
  furtherOf({ peer, upTo }: Arc): Arc[] {
    return this.#sorted.slice(this.#rankOf(`${upTo}0`)).filter((arc) => arc.peer === peer)
  }

  /** Where the next arc begins that is known; undefined when none does before the ring's end. */
  startAfter(key: RingKey): string | undefined {
    const rank = this.#rankOf(key)
    const arc = this.#sorted[rank]
    if (arc !== undefined && arc.first > key) return arc.first
    return this.#sorted[rank + 1]?.first
  }

  forgetKey(key: RingKey): void {
    const arc = this.at(key)
    if (arc !== undefined) this.#remove(arc)
  }

  forgetPeer(peer: PeerId): void {
    for (const arc of this.#sorted.filter((known) => known.peer === peer)) this.#remove(arc)
  }

  #isConfirmed({ peer, first, upTo }: Arc): boolean {
    const known = this.at(upTo)
    return known?.isConfirmed === true && known.peer === peer && known.first === first && known.upTo === upTo
  }

  #addAll(arcs: readonly Arc[]): void {
    for (const arc of arcs) this.#add(arc)
  }

  #add(arc: Arc): void {
    this.#peerCount = undefined
    const start = this.#rankOf(arc.first)
    let end = start
    while (end < this.#sorted.length && this.#sorted[end]!.first <= arc.upTo) end++
    const overlapping = this.#sorted.slice(start, end)
    for (const known of overlapping) this.#byAge.delete(known)
    const kept = [
      ...overlapping.flatMap((known) => before(known, arc)),
      arc,
      ...overlapping.flatMap((known) => after(known, arc)),
    ]
    this.#sorted.splice(start, overlapping.length, ...kept)
    for (const known of kept) if (known !== arc) this.#byAge.add(known)
    this.#byAge.add(arc)
    while (this.#byAge.size > this.#arcsMax) this.#remove(this.#byAge.values().next().value!)
  }

  #remove(arc: Arc): void {
    this.#peerCount = undefined
    this.#byAge.delete(arc)
    this.#sorted = this.#sorted.filter((known) => known !== arc)
  }

  /** The place of the first that ends at the text or later. */
  #rankOf(text: string): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sorted[middle]!.upTo < text) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Without one that wraps round the end of the ring. */
function partsOf(arc: Arc): Arc[] {
  if (arc.first <= arc.upTo) return [arc]
  const start = { ...arc, first: '' }
  return arc.first <= ringEnd ? [{ ...arc, upTo: ringEnd }, start] : [start]
}

/** What is left of a known arc before a new one: no owner's whole arc any more, but its keys are as likely as before. */
function before(known: Arc, arc: Arc): Arc[] {
  if (known.first >= arc.first) return []
  return [{ ...known, upTo: lastBefore(arc.first), isConfirmed: false }]
}

function after(known: Arc, arc: Arc): Arc[] {
  return known.upTo > arc.upTo ? [{ ...known, first: `${arc.upTo}0` }] : []
}

/** The last key before a text: a key itself, or one and a digit more. */
function lastBefore(first: string): RingKey {
  if (first.length > 40) return first.slice(0, 40) as RingKey
  return (BigInt(`0x${first}`) - 1n).toString(16).padStart(40, '0') as RingKey
}
