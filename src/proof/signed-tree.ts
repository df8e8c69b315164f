// What is known of the small tree of captures under a signature that holds: its root, and every node that a capture's path has shown.
//
// Whoever has verified one capture knows the siblings on its path, too, for the root depends on them. So of captures that were signed
// together the first costs the signature, and each further one about one hash.
// Invariant: where a node is known, the siblings on its way to the root are.

import assert from 'node:assert/strict'
import { type Hash, hashBytes, nodeHash, splitOf } from './merkle-tree.ts'

/** So that a number has a bit for each node. */
const countMax = 16

/** From a node to the one above it. Nodes are numbered: leaves by their place, then those above. */
interface Step {
  readonly sibling: number
  readonly isSiblingLeft: boolean
  readonly parent: number
}

export class SignedTree {
  readonly count: number
  /** By number. */
  readonly #nodes: Buffer
  /** A bit for each that is known. */
  #known = 0

  constructor(count: number) {
    assert(count >= 1 && count <= countMax)
    this.count = count
    this.#nodes = Buffer.alloc((2 * count - 1) * hashBytes)
  }

  /** Whether the leaf is in this tree, with this very path. `isSigned` is asked of the root, until one has been found to be. */
  proves(leaf: Hash, index: number, path: readonly Hash[], isSigned: (root: Hash) => boolean): boolean {
    const steps = stepsOf(this.count, index)
    if (steps?.length !== path.length) return false
    const climbed = [leaf]
    let [node, number] = [leaf, index]
    while (!this.#isKnown(number) && climbed.length <= steps.length) {
      const { isSiblingLeft, parent } = steps[climbed.length - 1]!
      const sibling = path[climbed.length - 1]!
      node = isSiblingLeft ? nodeHash(sibling, node) : nodeHash(node, sibling)
      number = parent
      climbed.push(node)
    }
    const first = climbed.length - 1
    if (this.#isKnown(number) ? !this.#is(number, node) : !isSigned(node)) return false
    for (let above = first; above < steps.length; above++)
      if (!this.#is(steps[above]!.sibling, path[above]!)) return false
    this.#learn(number, node)
    for (let below = 0; below < first; below++) {
      this.#learn(below === 0 ? index : steps[below - 1]!.parent, climbed[below]!)
      this.#learn(steps[below]!.sibling, path[below]!)
    }
    return true
  }

  #isKnown(number: number): boolean {
    return (this.#known & (1 << number)) !== 0
  }

  #is(number: number, node: Hash): boolean {
    const start = number * hashBytes
    return this.#isKnown(number) && this.#nodes.compare(node, 0, hashBytes, start, start + hashBytes) === 0
  }

  #learn(number: number, node: Hash): void {
    if (this.#isKnown(number)) return
    this.#nodes.set(node, number * hashBytes)
    this.#known |= 1 << number
  }
}

/** Of trees of each size, and of each leaf in it. */
const shapes: Step[][][] = []

function stepsOf(count: number, index: number): readonly Step[] | undefined {
  shapes[count] ??= shapeOf(count)
  return shapes[count][index]
}

function shapeOf(count: number): Step[][] {
  const steps = Array.from({ length: count }, (): Step[] => [])
  let next = count
  const number = (from: number, to: number): number => {
    if (to - from === 1) return from
    const middle = from + splitOf(to - from)
    const [left, right] = [number(from, middle), number(middle, to)]
    const parent = next++
    for (let leaf = from; leaf < middle; leaf++)
      steps[leaf]!.push({ sibling: right, isSiblingLeft: false, parent })
    for (let leaf = middle; leaf < to; leaf++)
      steps[leaf]!.push({ sibling: left, isSiblingLeft: true, parent })
    return parent
  }
  number(0, count)
  return steps
}
