// Compares every node with what it is made of: those of level 1 with the entries, the others with the nodes below.
//
// Runs in bounded memory, however many there are; outside a transaction, between changes.

import type { CoveredRoster } from './covered-roster.ts'
import { lowestBound } from './key-range.ts'
import { levels } from './levels.ts'
import type { SumNode, SumNodes } from './sum-nodes.ts'
import { Tally } from './tally.ts'

export interface SumFault {
  readonly level: number
  readonly bound: Uint8Array
  /** undefined: there is no such node, though there are entries before all others. */
  readonly found: Tally | undefined
  readonly expected: Tally
}

export function* auditSums(nodes: SumNodes, roster: CoveredRoster): Iterable<SumFault> {
  for (let level = 1; level <= levels; level++) {
    const first = nodes.firstBound(level, lowestBound)
    const leading = tallyOf(level, lowestBound, first)
    if (!leading.isEmpty) yield { level, bound: lowestBound, found: undefined, expected: leading }
    let last: SumNode | undefined
    for (const node of nodes.within(level, lowestBound, undefined)) {
      if (last !== undefined) yield* faultOf(level, last, node.bound)
      last = node
    }
    if (last !== undefined) yield* faultOf(level, last, undefined)
  }

  function* faultOf(level: number, node: SumNode, to: Uint8Array | undefined): Iterable<SumFault> {
    const expected = tallyOf(level, node.bound, to)
    if (!expected.equals(node.tally)) yield { level, bound: node.bound, found: node.tally, expected }
  }

  function tallyOf(level: number, from: Uint8Array, to: Uint8Array | undefined): Tally {
    if (level === 1) return roster.tally(from, to)
    const tally = new Tally()
    for (const finer of nodes.within(level - 1, from, to)) tally.join(finer.tally)
    return tally
  }
}
