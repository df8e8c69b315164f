// Serial queue: work that is done one after the other, in the order in which it came. What fails holds up nobody.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves and rejects as the work does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}
