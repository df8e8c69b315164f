// Work that is done sooner than handed to another thread, but not too much of it in one turn of the event loop: when many
// ask in the same moment, timers and sockets have their turn in between.

import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'

export class ShortWork {
  readonly #turnMsMax: number
  readonly #waiting: (() => void)[] = []
  #spentMs = 0
  #isTurnCounted = false

  constructor(turnMsMax: number) {
    assert(turnMsMax > 0)
    this.#turnMsMax = turnMsMax
  }

  /** At once while there is time in this turn; else in the order of calls. */
  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const task = (): void => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      if (this.#waiting.length > 0 || this.#spentMs >= this.#turnMsMax) this.#waiting.push(task)
      else this.#do(task)
    })
  }

  #do(task: () => void): void {
    const startMs = performance.now()
    task()
    this.#spentMs += performance.now() - startMs
    if (this.#isTurnCounted) return
    this.#isTurnCounted = true
    setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isTurnCounted = false
    this.#spentMs = 0
    while (this.#spentMs < this.#turnMsMax) {
      const task = this.#waiting.shift()
      if (task === undefined) return
      this.#do(task)
    }
  }
}
