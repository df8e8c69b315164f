// One at a time for each name: whoever comes while a name is taken waits for its turn.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** At once when nobody has the name. */
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
