// What is still to happen, earliest first; of what happens at the same time, first asked for first.
//
// Invariants: a binary heap ordered by (timeMs, sequence); sequence is unique, so the order is total and repeats.
// Cancelled events stay until they come up, but never make up more than half of a large heap.

const compactAt = 1_024

export interface QueuedEvent {
  readonly timeMs: number
  readonly sequence: number
  /** Undefined once cancelled. */
  task: (() => void) | undefined
}

export class EventQueue {
  #heap: QueuedEvent[] = []
  #sequence = 0
  #cancelled = 0

  get size(): number {
    return this.#heap.length - this.#cancelled
  }

  /** With those cancelled that it still holds. */
  get heldCount(): number {
    return this.#heap.length
  }

  add(timeMs: number, task: () => void): QueuedEvent {
    const event = { timeMs, sequence: this.#sequence++, task }
    this.#heap.push(event)
    this.#rise(this.#heap.length - 1)
    return event
  }

  cancel(event: QueuedEvent): void {
    if (event.task === undefined) return
    event.task = undefined
    this.#cancelled++
    if (this.#heap.length > compactAt && this.#cancelled * 2 > this.#heap.length) this.#compact()
  }

  /** When the next one is due. */
  nextMs(): number | undefined {
    this.#dropCancelled()
    return this.#heap[0]?.timeMs
  }

  /** Takes the next one out. Its task is the caller's to run. */
  take(): QueuedEvent | undefined {
    this.#dropCancelled()
    return this.#pop()
  }

  #dropCancelled(): void {
    while (this.#heap.length > 0 && this.#heap[0]!.task === undefined) {
      this.#pop()
      this.#cancelled--
    }
  }

  #pop(): QueuedEvent | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (this.#heap.length > 0) this.#sink(0, last!)
    return first
  }

  #compact(): void {
    this.#heap = this.#heap.filter((event) => event.task !== undefined)
    this.#cancelled = 0
    for (let index = (this.#heap.length >> 1) - 1; index >= 0; index--) this.#sink(index, this.#heap[index]!)
  }

  #rise(start: number): void {
    const heap = this.#heap
    const event = heap[start]!
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (isBefore(heap[parent]!, event)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = event
  }

  #sink(start: number, event: QueuedEvent): void {
    const heap = this.#heap
    const size = heap.length
    let index = start
    for (;;) {
      let child = 2 * index + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (isBefore(event, heap[child]!)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = event
  }
}

function isBefore(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.sequence < b.sequence)
}
