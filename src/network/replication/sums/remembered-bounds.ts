// Where the pieces begin, in memory: every change asks for those that its entry lies in, and to look for one in the table takes
// several times as long as to read it. Of the coarser levels all are remembered, one in 4,096 entries; of the finest those
// around entries that came or went lately.
//
// Invariant: what is remembered is what the table has. A transaction may still fail after it was told: so one that changes
// where pieces begin also changes a number in the table, and when that is not the one expected everything is forgotten.

import assert from 'node:assert/strict'
import { ownBytes } from '../../../formats/wire/own-bytes.ts'
import { LruCache } from '../../../model/lru-cache.ts'
import { isBefore, lowestBound } from './key-range.ts'
import type { SumNode, SumNodes } from './sum-nodes.ts'

/** A stretch of keys, and all bounds of the finest level in it. */
interface Stretch {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly bounds: Uint8Array[]
}

/** Of some 64 bounds each. */
const stretchesMax = 256

export class RememberedBounds {
  readonly #nodes: SumNodes
  /** By level, in order. */
  readonly #coarse = new Map<number, Uint8Array[]>()
  /** By where they begin, as text; the last one used is last. */
  readonly #stretches = new LruCache<string, Stretch>({ max: stretchesMax })
  #generation = -1
  #isChanged = false

  constructor(nodes: SumNodes) {
    this.#nodes = nodes
  }

  /** A transaction begins to change nodes. */
  begin(): void {
    this.#isChanged = false
    const { generation } = this.#nodes
    if (generation === this.#generation) return
    this.#forget()
    this.#generation = generation
  }

  /** It has changed them. */
  end(): void {
    if (this.#isChanged) this.#nodes.generation = this.#generation
  }

  /** The node whose piece the key lies in. */
  around(level: number, key: Uint8Array): SumNode | undefined {
    const bounds = this.#boundsAt(level, key)
    const bound = bounds[indexBehind(bounds, key) - 1]
    // Before the first of a stretch: those of the stretch before it are elsewhere.
    if (bound === undefined) return level === 1 ? this.#nodes.around(level, key) : undefined
    const tally = this.#nodes.at(level, bound)
    assert(tally !== undefined, 'a node that is remembered is gone')
    return { bound, tally }
  }

  /** Where the first piece begins behind the key. */
  behind(level: number, key: Uint8Array): Uint8Array | undefined {
    const bounds = this.#boundsAt(level, key)
    const bound = bounds[indexBehind(bounds, key)]
    if (bound !== undefined || level > 1) return bound
    const { to } = this.#stretchAt(key)
    return to && this.#nodes.firstBound(level, to)
  }

  /** A node was written. */
  notePut(level: number, bound: Uint8Array): void {
    const bounds = this.#boundsAt(level, bound)
    const index = indexBehind(bounds, bound)
    if (index > 0 && Buffer.compare(bounds[index - 1]!, bound) === 0) return
    bounds.splice(index, 0, ownBytes(bound))
    this.#change(level)
  }

  /** A node was removed. */
  noteRemoved(level: number, bound: Uint8Array): void {
    const bounds = this.#boundsAt(level, bound)
    const index = indexBehind(bounds, bound) - 1
    if (index >= 0 && Buffer.compare(bounds[index]!, bound) === 0) bounds.splice(index, 1)
    this.#change(level)
  }

  /** Any number of nodes were removed. */
  noteCleared(): void {
    this.#forget()
    this.#change(1)
  }

  #change(level: number): void {
    // Stretches go by them.
    if (level === 2) this.#stretches.clear()
    if (this.#isChanged) return
    this.#isChanged = true
    this.#generation++
  }

  #forget(): void {
    this.#coarse.clear()
    this.#stretches.clear()
  }

  #boundsAt(level: number, key: Uint8Array): Uint8Array[] {
    return level === 1 ? this.#stretchAt(key).bounds : this.#coarseBounds(level)
  }

  #coarseBounds(level: number): Uint8Array[] {
    let bounds = this.#coarse.get(level)
    if (bounds === undefined) {
      bounds = Array.from(this.#nodes.within(level, lowestBound, undefined), ({ bound }) => bound)
      this.#coarse.set(level, bounds)
    }
    return bounds
  }

  /** From a bound of the second level to the next. */
  #stretchAt(key: Uint8Array): Stretch {
    const bounds = this.#coarseBounds(2)
    const index = indexBehind(bounds, key)
    const from = bounds[index - 1] ?? lowestBound
    const name = Buffer.prototype.latin1Slice.call(from, 0, from.length)
    const stretch = this.#stretches.get(name) ?? this.#read(from, bounds[index])
    this.#stretches.set(name, stretch)
    return stretch
  }

  #read(from: Uint8Array, to: Uint8Array | undefined): Stretch {
    return { from, to, bounds: Array.from(this.#nodes.within(1, from, to), ({ bound }) => bound) }
  }
}

/** The index of the first that comes after the key. */
function indexBehind(bounds: readonly Uint8Array[], key: Uint8Array): number {
  let [low, high] = [0, bounds.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(key, bounds[middle])) high = middle
    else low = middle + 1
  }
  return low
}
