// Best ranks: the best so many of any number, in bounded memory.

import { type Ranked, sortedRanks } from './rank-service.ts'

export class BestRanks {
  readonly #limit: number
  #ranked: Ranked[] = []
  /** What is not better cannot be among them. */
  #least = -1

  constructor(limit: number) {
    this.#limit = limit
  }

  add(url: string, score: number): void {
    if (score <= this.#least) return
    this.#ranked.push({ url, score })
    // So each sorting is paid for by as many additions as there are places.
    if (this.#ranked.length >= 2 * this.#limit + 1) this.#cut()
  }

  sorted(): Ranked[] {
    return sortedRanks(this.#ranked).slice(0, this.#limit)
  }

  #cut(): void {
    this.#ranked = this.sorted()
    this.#least = this.#ranked.at(-1)?.score ?? -1
  }
}
