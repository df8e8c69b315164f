// Whether to ask the operating system at once or by a thread.
//
// What is in memory comes at once in microseconds; handing the question to a thread and waiting for the answer costs a
// hundred (measured: reading records of 5 kB on 2 cores gives 1.6 times as many a second at once). But what has to wait
// for a disk would hold up everyone. So questions are asked at once for as long as the answers are quick, and by a
// thread for a while when one was not.

// How many are left to threads doubles while it stays slow: a disk that reads ahead is slow once in a while, one that seeks
// nearly always.

const quickMsMax = 0.3
const threadTurnsMin = 4
const threadTurnsMax = 64

export class Quickness {
  /** How many more are left to threads. */
  #threadTurnsLeft = 0
  /** How many will be when one is slow. */
  #threadTurns = threadTurnsMin

  get isQuick(): boolean {
    return this.#threadTurnsLeft === 0
  }

  /** No promise when it was asked at once: a batch of writes asks several times. */
  ask<T>(atOnce: () => T, byThread: () => Promise<T>): T | Promise<T> {
    if (this.isQuick) return this.time(atOnce)
    this.#threadTurnsLeft--
    return byThread()
  }

  /** Asks at once, and learns from how long it took. */
  time<T>(atOnce: () => T): T {
    const startMs = performance.now()
    const answer = atOnce()
    if (performance.now() - startMs > quickMsMax) {
      this.#threadTurnsLeft = this.#threadTurns
      this.#threadTurns = Math.min(2 * this.#threadTurns, threadTurnsMax)
    } else this.#threadTurns = threadTurnsMin
    return answer
  }
}
