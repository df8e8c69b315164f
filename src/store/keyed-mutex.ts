// Keyed mutex: runs one action at a time for each name, in the order of calls.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs at once when the name is free. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name)
    const turn = before === undefined ? work() : before.then(work)
    const settled = turn.catch(() => {})
    this.#last.set(name, settled)
    try {
      return await turn
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name)
    }
  }
}
