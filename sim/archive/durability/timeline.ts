// The timeline of a run: what happens when, and a hash of all that happened.

import { EventQueue, type QueuedEvent } from '../../../src/platform/simulated/event-queue.ts'
import { Trace } from '../../../src/platform/simulated/trace.ts'

export class Timeline {
  readonly #events = new EventQueue()
  readonly #trace = new Trace(false)
  nowMs = 0

  get hash(): string {
    return this.#trace.hash
  }

  in(ms: number, task: () => void): QueuedEvent {
    return this.#events.add(this.nowMs + ms, task)
  }

  cancel(event: QueuedEvent): void {
    this.#events.cancel(event)
  }

  note(who: string, what: string, which: number): void {
    this.#trace.note(this.nowMs, who, what, which)
  }

  runUntil(endMs: number): void {
    for (let event = this.#events.take(); event && event.timeMs <= endMs; event = this.#events.take()) {
      this.nowMs = event.timeMs
      this.#trace.tick(event.timeMs, event.sequence)
      event.task!()
    }
    this.nowMs = endMs
  }
}
