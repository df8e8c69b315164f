// Time heap: things by the time at which they are due; of those due at once, first in, first out.

interface Node<T> {
  readonly atMs: number
  readonly order: number
  readonly value: T
}

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
