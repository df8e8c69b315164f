// Character references in attribute values and texts: `&amp;`, `&#x2F;`, `&eacute;`.
//
// The tokenizer runs without decoding them, which takes half the time: most attributes are not looked at and most of
// the rest have none. For those that have some, it is asked to read a tag made of that one value.

import type { TokenizerCallbacks } from 'htmlparser2'
import { htmlParser } from './html-parser.ts'

/** In an attribute, a name that runs on or up to `=` is no reference: `?a=1&copy=2` stays. */
const referencePattern = /&(?:#|[A-Za-z0-9]+(?![A-Za-z0-9=]))/

/** `write` says how a character is to stand in the result, where that is not as itself. */
export function decodeAttribute(
  value: string,
  write: (codePoint: number) => string = printCodePoint,
): string {
  if (!value.includes('&') || !referencePattern.test(value)) return value
  // By far the most frequent, and safe when there is no other.
  const isOnlyAmp = !/&(?!amp;)/.test(value)
  return isOnlyAmp
    ? value.replaceAll('&amp;', '&')
    : new ReferenceReader(`<a b="${value.replaceAll('"', '&quot;')}">`, write).text
}

/** Of a text between tags, where a name that runs on is a reference too: `&copy2`. */
export function decodeText(text: string): string {
  if (!text.includes('&')) return text
  // A `<` that opens nothing is text, and stands for itself.
  return new ReferenceReader(text.replaceAll('<', '&lt;'), printCodePoint).text
}

function printCodePoint(codePoint: number): string {
  return String.fromCodePoint(codePoint)
}

class ReferenceReader implements TokenizerCallbacks {
  readonly #source: string
  readonly #write: (codePoint: number) => string
  text = ''

  /** `source`: either one text without tags, or one tag with one attribute. */
  constructor(source: string, write: (codePoint: number) => string) {
    this.#write = write
    this.#source = source
    const tokenizer = new (htmlParser().Tokenizer)({ decodeEntities: true }, this)
    tokenizer.write(source)
    tokenizer.end()
  }

  ontext(start: number, end: number): void {
    this.text += this.#source.slice(start, end)
  }

  ontextentity(codePoint: number): void {
    this.text += this.#write(codePoint)
  }

  onattribdata(start: number, end: number): void {
    this.ontext(start, end)
  }

  onattribentity(codePoint: number): void {
    this.ontextentity(codePoint)
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
}
