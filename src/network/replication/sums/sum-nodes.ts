// The table of nodes: for each level the tallies of consecutive pieces of the roster, under the bound where each begins. A piece
// ends where the next one of its level begins.
//
//   level, bound → tally     levels from 1, the finest
//   0            → how far the roster is covered, see coverage below
//   0, 1         → a number that changes with where pieces begin, see remembered-bounds.ts
//
// Knows how nodes are coded and found, not which there are to be.

import type { Table } from '../../../platform/storage/key-value.ts'
import { lowestBound } from './key-range.ts'
import { Tally } from './tally.ts'

export interface SumNode {
  readonly bound: Uint8Array
  readonly tally: Tally
}

const coverageKey = Uint8Array.of(0)
const generationKey = Uint8Array.of(0, 1)

export class SumNodes {
  readonly #table: Table
  #reads = 0

  constructor(table: Table) {
    this.#table = table
  }

  /** Nodes read so far: what answering a question has cost. */
  get reads(): number {
    return this.#reads
  }

  at(level: number, bound: Uint8Array): Tally | undefined {
    this.#reads++
    const bytes = this.#table.get(nodeKey(level, bound))
    return bytes && Tally.ofBytes(bytes)
  }

  put(level: number, { bound, tally }: SumNode): void {
    this.#table.put(nodeKey(level, bound), tally.toBytes())
  }

  remove(level: number, bound: Uint8Array): void {
    this.#table.remove(nodeKey(level, bound))
  }

  /** Those that begin in the range, in order. */
  *within(level: number, from: Uint8Array, to: Uint8Array | undefined): Iterable<SumNode> {
    const range = {
      from: nodeKey(level, from),
      to: to === undefined ? Uint8Array.of(level + 1) : nodeKey(level, to),
    }
    for (const [key, value] of this.#table.range(range)) {
      this.#reads++
      yield { bound: key.subarray(1), tally: Tally.ofBytes(value) }
    }
  }

  /** Where the first one begins that does not begin before this. */
  firstBound(level: number, from: Uint8Array): Uint8Array | undefined {
    this.#reads++
    for (const [key] of this.#table.range({
      from: nodeKey(level, from),
      to: Uint8Array.of(level + 1),
      limit: 1,
    })) {
      return key.subarray(1)
    }
    return undefined
  }

  /** The one whose piece the key lies in. */
  around(level: number, key: Uint8Array): SumNode | undefined {
    this.#reads++
    // The shortest key behind that of a node which begins right here.
    const to = nodeKey(level, key, 1)
    for (const [found, value] of this.#table.range({
      from: Uint8Array.of(level),
      to,
      reverse: true,
      limit: 1,
    })) {
      return { bound: found.subarray(1), tally: Tally.ofBytes(value) }
    }
    return undefined
  }

  /** Removes up to so many nodes. True when none is left. */
  clear(nodesMax: number): boolean {
    const keys = [...this.#table.range({ from: Uint8Array.of(1), limit: nodesMax })].map(([key]) => key)
    for (const key of keys) this.#table.remove(key)
    return keys.length < nodesMax
  }

  /** The sums are those of the entries before this; undefined when they are of all. */
  get coveredTo(): Uint8Array | undefined {
    const bytes = this.#table.get(coverageKey)
    if (bytes === undefined) return lowestBound
    return bytes.length === 0 ? undefined : bytes
  }

  set coveredTo(to: Uint8Array | undefined) {
    this.#table.put(coverageKey, to ?? new Uint8Array())
  }

  get generation(): number {
    const bytes = this.#table.get(generationKey)
    return bytes === undefined ? 0 : Buffer.from(bytes).readUIntBE(0, 6)
  }

  set generation(generation: number) {
    const bytes = Buffer.alloc(6)
    bytes.writeUIntBE(generation, 0, 6)
    this.#table.put(generationKey, bytes)
  }

  /** Nothing is covered any more, whatever nodes there are. */
  uncover(): void {
    this.#table.remove(coverageKey)
  }
}

function nodeKey(level: number, bound: Uint8Array, zeros = 0): Uint8Array {
  const key = new Uint8Array(1 + bound.length + zeros)
  key[0] = level
  key.set(bound, 1)
  return key
}
