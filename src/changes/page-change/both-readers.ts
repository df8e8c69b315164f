// Both readers: reads a page once for two readers, for reading is what takes time. The first says what is foreign.

import type { MarkupReader } from '../../formats/markup/markup-reading.ts'

export class BothReaders implements MarkupReader {
  readonly #first: MarkupReader
  readonly #second: MarkupReader

  constructor(first: MarkupReader, second: MarkupReader) {
    this.#first = first
    this.#second = second
  }

  isForeign(): boolean {
    return this.#first.isForeign()
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#first.open(name, attributes)
    this.#second.open(name, attributes)
  }

  text(text: string): void {
    this.#first.text(text)
    this.#second.text(text)
  }

  close(name: string): void {
    this.#first.close(name)
    this.#second.close(name)
  }
}
