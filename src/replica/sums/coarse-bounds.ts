// Where the pieces of the coarser levels begin, in memory: there are few, one in 4,096 entries, and every change asks for those that
// its entry lies in. To look for them in the table takes ten times as long as to read one.
//
// Invariant: what is remembered is what the table has. A transaction may still fail, so what it changed is read again
// after it.

import assert from 'node:assert/strict'
import { lowestBound } from './key-range.ts'
import type { SumNode, SumNodes } from './sum-nodes.ts'

export class CoarseBounds {
  readonly #nodes: SumNodes
  /** By level, in order. */
  readonly #bounds = new Map<number, Uint8Array[]>()
  #isChanged = false

  constructor(nodes: SumNodes) {
    this.#nodes = nodes
  }

  /** The node whose piece the key lies in. */
  around(level: number, key: Uint8Array): SumNode | undefined {
    const bounds = this.#read(level)
    const bound = bounds[indexBehind(bounds, key) - 1]
    if (bound === undefined) return undefined
    const tally = this.#nodes.at(level, bound)
    assert(tally !== undefined, 'a node that is remembered is gone')
    return { bound, tally }
  }

  /** A node was written. */
  notePut(level: number, bound: Uint8Array): void {
    const bounds = this.#bounds.get(level) ?? []
    const index = indexBehind(bounds, bound)
    if (index > 0 && Buffer.compare(bounds[index - 1]!, bound) === 0) return
    bounds.splice(index, 0, bound)
    this.#isChanged = true
  }

  /** A node was removed. */
  noteRemoved(level: number, bound: Uint8Array): void {
    const bounds = this.#bounds.get(level) ?? []
    const index = indexBehind(bounds, bound) - 1
    if (index >= 0 && Buffer.compare(bounds[index]!, bound) === 0) bounds.splice(index, 1)
    this.#isChanged = true
  }

  /** Any number of nodes were removed. */
  noteCleared(): void {
    this.#bounds.clear()
    this.#isChanged = true
  }

  /** The transaction has ended. */
  forget(): void {
    if (this.#isChanged) this.#bounds.clear()
    this.#isChanged = false
  }

  #read(level: number): Uint8Array[] {
    let bounds = this.#bounds.get(level)
    if (bounds === undefined) {
      bounds = Array.from(this.#nodes.within(level, lowestBound, undefined), ({ bound }) => bound)
      this.#bounds.set(level, bounds)
    }
    return bounds
  }
}

/** The index of the first that comes after the key. */
function indexBehind(bounds: readonly Uint8Array[], key: Uint8Array): number {
  let [low, high] = [0, bounds.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (Buffer.compare(bounds[middle]!, key) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
