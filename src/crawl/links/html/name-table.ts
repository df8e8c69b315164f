// Name table: the few names that matter among the many of a page, found without copying those that do not.
//
// Tags and attributes come as positions in the text. First letter and length rule out nearly all; only the rest are
// cut out, lowered and looked up.

const lettersMax = 32

export class NameTable<Name extends string> {
  readonly #numbers: ReadonlyMap<string, number>
  /** By first letter and length. */
  readonly #isPossible = new Uint8Array(128 * lettersMax)

  constructor(names: readonly Name[]) {
    this.#numbers = new Map(names.map((name, number) => [name, number]))
    for (const name of names) {
      this.#isPossible[name.charCodeAt(0) * lettersMax + name.length] = 1
      this.#isPossible[name.toUpperCase().charCodeAt(0) * lettersMax + name.length] = 1
    }
  }

  number(name: Name): number {
    return this.#numbers.get(name)!
  }

  /** Of the name at that place, in any case, or -1. */
  find(text: string, start: number, end: number): number {
    const length = end - start
    const first = text.charCodeAt(start)
    if (length >= lettersMax || first >= 128 || this.#isPossible[first * lettersMax + length] === 0) return -1
    return this.#numbers.get(text.slice(start, end).toLowerCase()) ?? -1
  }
}
