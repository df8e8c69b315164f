// Work that is worth a thread only in company: what comes alone is done at once.
//
// Why: to hand work to a thread and to hear of its end takes a tenth of a millisecond of processor time, most of it waking
// and falling asleep (measured: 2 virtual cores). Several at a time share the cores for that; one by itself has nobody to
// share with, and its caller waits for it either way.
// Who asks in the same moment counts as company: nothing is begun before all of them have asked.

interface Asked {
  atOnce(): void
  byThread(): void
}

export class LoneWork {
  #asked: Asked[] = []
  /** Given to threads and not done. */
  #underWay = 0

  run<T>(atOnce: () => T, byThread: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#asked.push({
        atOnce: () => {
          try {
            resolve(atOnce())
          } catch (error) {
            reject(error)
          }
        },
        byThread: () => {
          this.#underWay++
          const done = () => this.#underWay--
          byThread().finally(done).then(resolve, reject)
        },
      })
      if (this.#asked.length === 1) process.nextTick(() => this.#begin())
    })
  }

  #begin(): void {
    const asked = this.#asked
    this.#asked = []
    if (asked.length === 1 && this.#underWay === 0) asked[0]!.atOnce()
    else for (const { byThread } of asked) byThread()
  }
}
