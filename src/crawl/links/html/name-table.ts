// Name table: the few names that matter among the many of a page, found without copying those that do not.
//
// Tags and attributes come as positions in the text. First letter and length leave a name or two, which are compared where they stand;
// only what has capitals is cut out, lowered and looked up.

const lettersMax = 32

export class NameTable<Name extends string> {
  readonly #names: readonly Name[]
  readonly #numbers: ReadonlyMap<string, number>
  /** The numbers of those that are possible, by first letter and length. */
  readonly #possible: (readonly number[] | undefined)[] = new Array(128 * lettersMax).fill(undefined)

  constructor(names: readonly Name[]) {
    this.#names = names
    this.#numbers = new Map(names.map((name, number) => [name, number]))
    for (const [number, name] of names.entries()) {
      for (const first of new Set([name.charCodeAt(0), name.toUpperCase().charCodeAt(0)])) {
        const place = first * lettersMax + name.length
        this.#possible[place] = [...(this.#possible[place] ?? []), number]
      }
    }
  }

  number(name: Name): number {
    return this.#numbers.get(name)!
  }

  /** Of the name at that place, in any case, or -1. */
  find(text: string, start: number, end: number): number {
    const length = end - start
    const first = text.charCodeAt(start)
    if (length >= lettersMax || first >= 128) return -1
    const possible = this.#possible[first * lettersMax + length]
    if (possible === undefined) return -1
    for (const number of possible) if (text.startsWith(this.#names[number]!, start)) return number
    if (isLowered(text, start, end)) return -1
    return this.#numbers.get(text.slice(start, end).toLowerCase()) ?? -1
  }
}

/** Whether toLowerCase would leave it as it is; of what is not ASCII that is not said. */
function isLowered(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code >= 128 || (code >= 0x41 && code <= 0x5a)) return false
  }
  return true
}
