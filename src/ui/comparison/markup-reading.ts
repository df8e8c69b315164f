// Markup reading: opening tags with their attributes, text, and closing tags, as they stand in a document.
//
// On htmlparser2's tokenizer, not on its parser, whose list of open elements makes deep nesting take quadratic time: a
// megabyte of `<div>` took half a minute. Linear in the text; no tree, no elements that nobody wrote.

import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

export interface MarkupReader {
  /** Names are in lower case; of an attribute given twice the first counts. */
  open(name: string, attributes: ReadonlyMap<string, string>): void
  text(text: string): void
  close(name: string): void
  /** In SVG and MathML, `<style>` and `<title>` are elements like any other. */
  isForeign(): boolean
}

/** A tag with more is an attack. */
const attributesMax = 500

export function readMarkup(text: string, reader: MarkupReader): void {
  const tokenizer = new Tokenizer({ decodeEntities: true }, new Tags(text, reader))
  tokenizer.write(text)
  tokenizer.end()
}

class Tags implements TokenizerCallbacks {
  readonly #text: string
  readonly #reader: MarkupReader
  #name = ''
  #attribute = ''
  #value = ''
  #attributes = new Map<string, string>()

  constructor(text: string, reader: MarkupReader) {
    this.#text = text
    this.#reader = reader
  }

  isInForeignContext(): boolean {
    return this.#reader.isForeign()
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#text.slice(start, end).toLowerCase()
    if (this.#attributes.size > 0) this.#attributes = new Map()
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#text.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#text.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(): void {
    if (this.#attributes.size === attributesMax || this.#attributes.has(this.#attribute)) return
    this.#attributes.set(this.#attribute, this.#value)
  }

  onopentagend(): void {
    this.#reader.open(this.#name, this.#attributes)
  }

  onselfclosingtag(): void {
    this.onopentagend()
    if (this.#reader.isForeign()) this.#reader.close(this.#name)
  }

  onclosetag(start: number, end: number): void {
    this.#reader.close(this.#text.slice(start, end).toLowerCase())
  }

  ontext(start: number, end: number): void {
    this.#reader.text(this.#text.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    this.#reader.text(String.fromCodePoint(codePoint))
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
}
