// Time heap: things by the time at which they are due; of those due at once, first in, first out.

interface Node<T> {
  readonly atMs: number
  readonly order: number
  readonly value: T
}

/** The first levels of the heap. */
const aheadLookedAt = 31

export class TimeHeap<T> {
  #nodes: Node<T>[] = []
  #order = 0

  get size(): number {
    return this.#nodes.length
  }

  get nextAtMs(): number | undefined {
    return this.#nodes[0]?.atMs
  }

  add(atMs: number, value: T): void {
    const node = { atMs, order: this.#order++, value }
    this.#nodes.push(node)
    this.#rise(this.#nodes.length - 1, node)
  }

  take(): T | undefined {
    const first = this.#nodes[0]
    const last = this.#nodes.pop()
    if (first === undefined || last === undefined) return undefined
    if (this.#nodes.length > 0) this.#sink(0, last)
    return first.value
  }

  /** Of those that are due by then, the first of the highest level; else the first of all. Looks at all that are due. */
  takeDue(nowMs: number, levelOf: (value: T) => number): T | undefined {
    let chosen = 0
    let level = Number.NEGATIVE_INFINITY
    const open = this.#nodes.length === 0 ? [] : [0]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const node = this.#nodes[index]!
      if (node.atMs > nowMs) continue
      const own = levelOf(node.value)
      if (own > level || (own === level && isBefore(node, this.#nodes[chosen]!))) {
        chosen = index
        level = own
      }
      for (const child of [2 * index + 1, 2 * index + 2]) if (child < this.#nodes.length) open.push(child)
    }
    return chosen === 0 ? this.take() : this.#takeAt(chosen)
  }

  /** Of the first few that are due by then, the one that is first when each has its head start; else the first of all. Those further
   * back are not looked at: what it costs does not grow with what waits. */
  takeAhead(nowMs: number, headStartMs: (value: T) => number): T | undefined {
    let chosen = 0
    let least = Number.POSITIVE_INFINITY
    const end = Math.min(aheadLookedAt, this.#nodes.length)
    for (let index = 0; index < end; index++) {
      const node = this.#nodes[index]!
      if (node.atMs > nowMs) continue
      const own = node.atMs - headStartMs(node.value)
      if (own < least || (own === least && isBefore(node, this.#nodes[chosen]!))) {
        chosen = index
        least = own
      }
    }
    return chosen === 0 ? this.take() : this.#takeAt(chosen)
  }

  #takeAt(index: number): T {
    const { value } = this.#nodes[index]!
    const last = this.#nodes.pop()!
    if (index < this.#nodes.length) {
      this.#nodes[index] = last
      this.#rise(index, last)
      if (this.#nodes[index] === last) this.#sink(index, last)
    }
    return value
  }

  /** Takes out the `count` that are due last. */
  takeLast(count: number): { atMs: number; value: T }[] {
    // Sorted, the nodes are a heap.
    this.#nodes.sort((a, b) => (isBefore(a, b) ? -1 : 1))
    return this.#nodes.splice(Math.max(0, this.#nodes.length - count))
  }

  /** Takes out those that are not to stay. */
  keep(isKept: (value: T) => boolean): void {
    this.#nodes = this.#nodes.filter(({ value }) => isKept(value)).sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  #rise(start: number, node: Node<T>): void {
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(node, this.#nodes[parent]!)) break
      this.#nodes[index] = this.#nodes[parent]!
      index = parent
    }
    this.#nodes[index] = node
  }

  #sink(start: number, node: Node<T>): void {
    const { length } = this.#nodes
    let index = start
    for (;;) {
      let child = 2 * index + 1
      if (child >= length) break
      if (child + 1 < length && isBefore(this.#nodes[child + 1]!, this.#nodes[child]!)) child++
      if (!isBefore(this.#nodes[child]!, node)) break
      this.#nodes[index] = this.#nodes[child]!
      index = child
    }
    this.#nodes[index] = node
  }
}

function isBefore(a: Node<unknown>, b: Node<unknown>): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}
