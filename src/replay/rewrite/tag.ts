// Tag: the element and attributes of the tag that is being read, as places in the text. Only attributes that may matter to
// rewriting are kept; first letter and length rule out nearly all others before anything is cut out of the text.

import { decodeAttribute } from './attribute-text.ts'

/** What matters on any element or on some; `on…` matters as a whole. */
const attributeNames =
  'action archive as background cite codebase content crossorigin csp data formaction href http-equiv imagesrcset ' +
  'integrity longdesc lowsrc manifest name nonce ping poster profile referrerpolicy rel src srcdoc srcset style target ' +
  'type xlink:href xml:base dynsrc http-equiv attributionsrc'

const nameCharsMax = 32
const isPossible = new Uint8Array(128 * nameCharsMax)
const names = new Set(attributeNames.split(' '))
for (const name of names) {
  isPossible[name.charCodeAt(0) * nameCharsMax + name.length] = 1
  isPossible[name.toUpperCase().charCodeAt(0) * nameCharsMax + name.length] = 1
}
for (let length = 4; length < nameCharsMax; length += 1) {
  isPossible[0x6f * nameCharsMax + length] = 1
  isPossible[0x4f * nameCharsMax + length] = 1
}

export interface Attribute {
  readonly name: string
  /** Of the name. */
  readonly start: number
  valueStart: number
  valueEnd: number
  /** Just past the value and its quote. */
  end: number
  isQuoted: boolean
}

export class Tag {
  readonly #text: string
  #attribute: Attribute | undefined
  attributes: Attribute[] = []
  /** At its `<`. */
  start = 0
  nameStart = 0
  nameEnd = 0

  constructor(text: string) {
    this.#text = text
  }

  open(start: number, end: number): void {
    this.start = start - 1
    this.nameStart = start
    this.nameEnd = end
    if (this.attributes.length > 0) this.attributes = []
    this.#attribute = undefined
  }

  attribute(start: number, end: number): void {
    this.#attribute = undefined
    const length = end - start
    const first = this.#text.charCodeAt(start)
    if (length >= nameCharsMax || first >= 128 || isPossible[first * nameCharsMax + length] === 0) return
    const name = this.#text.slice(start, end).toLowerCase()
    if (!names.has(name) && !name.startsWith('on')) return
    // Of an attribute given twice the first counts, as in browsers.
    if (this.attributes.some((attribute) => attribute.name === name)) return
    this.#attribute = { name, start, valueStart: -1, valueEnd: -1, end, isQuoted: false }
    this.attributes.push(this.#attribute)
  }

  value(start: number, end: number): void {
    const attribute = this.#attribute
    if (attribute === undefined) return
    if (attribute.valueStart === -1) attribute.valueStart = start
    attribute.valueEnd = end
  }

  endAttribute(isQuoted: boolean, end: number): void {
    const attribute = this.#attribute
    if (attribute === undefined) return
    attribute.isQuoted = isQuoted
    // The end is given without the closing quote.
    attribute.end = isQuoted ? Math.max(end, attribute.valueEnd + 1) : end
  }

  find(name: string): Attribute | undefined {
    return this.attributes.find((attribute) => attribute.name === name)
  }

  /** As it stands in the markup. */
  written({ valueStart, valueEnd }: Attribute): string {
    return valueStart === -1 ? '' : this.#text.slice(valueStart, valueEnd)
  }

  /** Decoded, or undefined when there is none. */
  get(name: string): string | undefined {
    const attribute = this.find(name)
    return attribute && decodeAttribute(this.written(attribute))
  }
}
