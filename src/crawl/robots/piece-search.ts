// Piece search: where a piece of a pattern first occurs, in time linear in the text (Knuth, Morris and Pratt).
//
// The engine's own search takes text × piece in the worst case. That is fine for short pieces and is the faster way
// then; a long one is a hostile one, and gets a table.

const shortCharsMax = 32

export class PieceSearch {
  readonly text: string
  #table: Uint32Array | undefined

  constructor(text: string) {
    this.text = text
  }

  get length(): number {
    return this.text.length
  }

  /** -1 when it does not occur at or after `from`. */
  find(within: string, from: number): number {
    if (this.text.length <= shortCharsMax) return within.indexOf(this.text, from)
    if (this.text.length > within.length - from) return -1
    return this.#findWithTable(within, from)
  }

  #findWithTable(within: string, from: number): number {
    this.#table ??= borderTable(this.text)
    let matched = 0
    for (let i = from; i < within.length; i += 1) {
      while (matched > 0 && within.charCodeAt(i) !== this.text.charCodeAt(matched)) {
        matched = this.#table[matched - 1]!
      }
      if (within.charCodeAt(i) === this.text.charCodeAt(matched)) matched += 1
      if (matched === this.text.length) return i - matched + 1
    }
    return -1
  }
}

/** For each prefix, the length of the longest other prefix that it ends with. */
function borderTable(text: string): Uint32Array {
  const table = new Uint32Array(text.length)
  let border = 0
  for (let i = 1; i < text.length; i += 1) {
    while (border > 0 && text.charCodeAt(i) !== text.charCodeAt(border)) border = table[border - 1]!
    if (text.charCodeAt(i) === text.charCodeAt(border)) border += 1
    table[i] = border
  }
  return table
}
