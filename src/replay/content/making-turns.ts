// Making turns: how many large contents are made at once. Each takes several times its size in memory until it is done;
// who comes later waits, in order. As many wait as the server has connections, and waiting costs next to nothing.

export class MakingTurns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnceMax: number) {
    this.#free = atOnceMax
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free -= 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
