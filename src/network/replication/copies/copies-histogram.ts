// Copies histogram: how many entries have 0, 1, 2, 3 … copies that can be read now.

export class CopiesHistogram {
  readonly #entries: number[] = []

  add(entries: number, copies: number): void {
    while (this.#entries.length <= copies) this.#entries.push(0)
    this.#entries[copies]! += entries
  }

  /** By the number of copies; the last is the most that any entry has. */
  get entries(): readonly number[] {
    return this.#entries
  }

  /** How many entries have fewer. */
  below(copies: number): number {
    return this.#entries.slice(0, copies).reduce((sum, entries) => sum + entries, 0)
  }
}
