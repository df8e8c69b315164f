// Attribute text: values of attributes as they stand in markup, with their character references and quotes.

import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/** In an attribute, a name that runs on or up to `=` is no reference: `?a=1&copy=2` stays. */
const referencePattern = /&(?:#|[A-Za-z0-9]+(?![A-Za-z0-9=]))/

/** Texts are byte strings here (see text-bytes.ts): a reference becomes the bytes of its character in UTF-8. */
export function decodeAttribute(value: string): string {
  if (!value.includes('&') || !referencePattern.test(value)) return value
  // By far the most frequent, and safe when there is no other.
  const isOnlyAmp = !/&(?!amp;)/.test(value)
  return isOnlyAmp ? value.replaceAll('&amp;', '&') : new ValueReader(value).text
}

/** As it may stand between quotes of either kind. */
export function encodeAttribute(value: string): string {
  return /[&"'<>]/.test(value)
    ? value.replace(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    : value
}

/** Of a value that is still written as markup: only the quotes, of which a base may bring some. */
export function encodeQuotes(value: string): string {
  return /["'<>]/.test(value)
    ? value.replace(/["'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    : value
}

class ValueReader implements TokenizerCallbacks {
  readonly #source: string
  text = ''

  constructor(value: string) {
    this.#source = `<a b="${value.replaceAll('"', '&quot;')}">`
    const tokenizer = new Tokenizer({ decodeEntities: true }, this)
    tokenizer.write(this.#source)
    tokenizer.end()
  }

  onattribdata(start: number, end: number): void {
    this.text += this.#source.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    const character = String.fromCodePoint(codePoint)
    this.text += codePoint < 0x80 ? character : Buffer.from(character).toString('latin1')
  }

  onattribname(): void {}
  onattribend(): void {}
  oncdata(): void {}
  onclosetag(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onopentagname(): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}
  ontext(): void {}
  ontextentity(): void {}
}
