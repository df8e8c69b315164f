// Whether to ask the operating system at once or by a thread.
//
// What is in memory comes at once in microseconds; handing the question to a thread and waiting for the answer costs a
// hundred (measured: reading records of 5 kB on 2 cores gives 1.6 times as many a second at once). But what has to wait
// for a disk would hold up everyone. So questions are asked at once for as long as the answers are quick, and by a
// thread for a while when one was not.

const quickMsMax = 0.3
const threadTurns = 64

export class Quickness {
  /** How many more are left to threads. */
  #threadTurnsLeft = 0

  /** No promise when it was asked at once: a batch of writes asks several times. */
  ask<T>(atOnce: () => T, byThread: () => Promise<T>): T | Promise<T> {
    if (this.#threadTurnsLeft > 0) {
      this.#threadTurnsLeft--
      return byThread()
    }
    const startMs = performance.now()
    const answer = atOnce()
    if (performance.now() - startMs > quickMsMax) this.#threadTurnsLeft = threadTurns
    return answer
  }
}
