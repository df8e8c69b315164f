// The loop that makes a simulated world go round: a virtual clock, and events in the order of their time.
//
// Invariants: time never goes back; the same seed and the same calls give the same events in the same order; between two
// events everything that the first one set going has settled, as far as it can without another event.
//
// How it settles: a task's promise continuations are microtasks, and there may be any number, one waiting for another.
// Node runs a process.nextTick callback that a microtask asked for only when the microtask queue is empty. So after each
// event we queue one microtask that asks for the next event by nextTick: complete however deep the chains are, without a
// turn of the real event loop (which would let real timers and sockets in between, and costs more with each of them).
// Hence simulated code must not wait for anything real: timers, sockets, worker threads, the thread pool.

import assert from 'node:assert/strict'
import { EventQueue } from './event-queue.ts'
import { SimulatedRandom } from './random.ts'
import { Trace } from './trace.ts'

// How often the real event loop gets its turn, so that a long run does not starve the test runner.
const eventsPerTurnDefault = 10_000

/** Time goes in ticks of about a microsecond that a number adds up exactly, so that a delay is never a hair too short. */
export const tickMs = 2 ** -10

const resolved = Promise.resolve()

interface Scheduled {
  cancel(): void
}

export interface SimulationOptions {
  seed: string | number
  /** Keep the lines of the trace, not only its hash. */
  keepTrace?: boolean
  /** How often the real event loop gets its turn. Where nothing real is waited for, any number gives the same run. */
  eventsPerTurn?: number
}

export class Simulation {
  readonly seed: string | number
  readonly random: SimulatedRandom
  readonly trace: Trace
  readonly #events = new EventQueue()
  #nowMs = 0
  #eventCount = 0
  readonly #eventsPerTurn: number
  #running = false

  constructor(options: SimulationOptions) {
    this.seed = options.seed
    this.#eventsPerTurn = options.eventsPerTurn ?? eventsPerTurnDefault
    this.random = new SimulatedRandom(options.seed)
    this.trace = new Trace(options.keepTrace ?? false)
  }

  /** Milliseconds since the simulation began. */
  get nowMs(): number {
    return this.#nowMs
  }

  get eventCount(): number {
    return this.#eventCount
  }

  /** How many events are still to come. */
  get pendingCount(): number {
    return this.#events.size
  }

  /** Runs the task `delayMs` from now, to the next whole tick. */
  after(delayMs: number, task: () => void): Scheduled {
    const event = this.#events.add(this.#nowMs + asTicks(delayMs), task)
    return { cancel: () => this.#events.cancel(event) }
  }

  /** As `after`, for what is never cancelled: costs less. */
  schedule(delayMs: number, task: () => void): void {
    this.#events.add(this.#nowMs + asTicks(delayMs), task)
  }

  note(who: string, what: string, which: string | number): void {
    this.trace.note(this.#nowMs, who, what, which)
  }

  /** Runs until nothing is left to happen, or up to and including `untilMs`, which it then is. */
  async run(untilMs: number = Number.POSITIVE_INFINITY): Promise<void> {
    await this.#drive(
      () => (this.#events.nextMs() ?? Number.POSITIVE_INFINITY) <= untilMs && this.#events.size > 0,
    )
    if (untilMs !== Number.POSITIVE_INFINITY) this.#nowMs = Math.max(this.#nowMs, asTicks(untilMs))
  }

  /** Runs for so much longer. */
  advance(durationMs: number): Promise<void> {
    return this.run(this.#nowMs + durationMs)
  }

  /** Runs until the promise is settled, and gives what it gives. Fails when nothing is left that could settle it. */
  async complete<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const done = (): void => {
      settled = true
    }
    promise.then(done, done)
    await this.#drive(() => !settled && this.#events.size > 0)
    assert(
      settled,
      `nothing is left to happen at ${this.#nowMs} ms, but something is waited for (seed ${this.seed})`,
    )
    return promise
  }

  #drive(goesOn: () => boolean): Promise<void> {
    assert(!this.#running, 'the simulation is running already')
    this.#running = true
    return new Promise((resolve, reject) => {
      // What queueMicrotask does, without the asynchronous resource that Node makes for each.
      const settleThenStep = (): void => void resolved.then(afterMicrotasks)
      const afterMicrotasks = (): void => process.nextTick(step)
      const step = (): void => {
        try {
          if (!goesOn()) {
            this.#running = false
            resolve()
            return
          }
          this.#runNext()
        } catch (error) {
          this.#running = false
          reject(error)
          return
        }
        if (this.#eventCount % this.#eventsPerTurn === 0) setImmediate(settleThenStep)
        else settleThenStep()
      }
      settleThenStep()
    })
  }

  #runNext(): void {
    const event = this.#events.take()!
    this.#nowMs = event.timeMs
    this.#eventCount++
    this.trace.tick(event.timeMs, event.sequence)
    const { task } = event
    // Cancelling it from now on does nothing.
    event.task = undefined
    task!()
  }
}

function asTicks(delayMs: number): number {
  assert(delayMs >= 0)
  return Math.ceil(delayMs / tickMs) * tickMs
}
