// Raw text: elements in which nothing is markup but their own end tag.

import { endsSection } from './markup-characters.ts'

const names = ['iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'textarea', 'title', 'xmp']

export class RawText {
  static readonly #byName = new Map(names.map((name) => [name, new RawText(name)]))
  readonly #name: string

  private constructor(name: string) {
    this.#name = name
  }

  /** That of the element whose name stands there, if it has any. */
  static of(text: string, start: number, end: number): RawText | undefined {
    const length = end - start
    // Most names are shorter, and none of them is `body`.
    if (length < 3 || length > 9 || length === 4) return undefined
    return RawText.#byName.get(text.slice(start, end).toLowerCase())
  }

  /** Where its end tag begins, or the end of the text. */
  end(text: string, start: number): number {
    // Nothing ends plain text.
    if (this.#name === 'plaintext') return text.length
    const { length } = this.#name
    for (let at = text.indexOf('</', start); at !== -1; at = text.indexOf('</', at + 2)) {
      const nameEnd = at + 2 + length
      if (nameEnd >= text.length) break
      if (endsSection(text.charCodeAt(nameEnd)) && text.slice(at + 2, nameEnd).toLowerCase() === this.#name)
        return at
    }
    return text.length
  }
}
