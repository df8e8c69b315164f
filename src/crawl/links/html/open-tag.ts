// Open tag: the element and attributes of the tag that is being read, as far as links may be in them.
//
// Attributes are kept as places in the text and cut out only when asked for. Of an attribute given twice the first
// counts, as in browsers.

import { decodeAttribute } from '../../../formats/markup/character-references.ts'
import { NameTable } from './name-table.ts'

const elementNames = [
  ...(['a', 'area', 'audio', 'base', 'embed', 'feimage', 'form', 'frame', 'iframe'] as const),
  ...([
    'image',
    'img',
    'input',
    'link',
    'math',
    'meta',
    'object',
    'script',
    'section',
    'source',
    'style',
    'svg',
  ] as const),
  ...(['title', 'track', 'use', 'video'] as const),
] as const
type ElementName = (typeof elementNames)[number]

const attributeNames = [
  ...([
    'action',
    'alt',
    'background',
    'content',
    'data',
    'data-background-iframe',
    'data-background-image',
    'data-background-video',
    'data-bg',
    'data-bgset',
    'data-lazy-src',
  ] as const),
  ...([
    'data-lazy-srcset',
    'data-markdown',
    'data-original',
    'data-src',
    'data-srcset',
    'href',
    'http-equiv',
  ] as const),
  ...([
    'imagesrcset',
    'method',
    'name',
    'poster',
    'rel',
    'src',
    'srcdoc',
    'srcset',
    'style',
    'type',
    'xlink:href',
  ] as const),
] as const
export type AttributeName = (typeof attributeNames)[number]

const elements = new NameTable(elementNames)
const attributes = new NameTable(attributeNames)
const numbers = new Map(attributeNames.map((name) => [name, attributes.number(name)]))

export class OpenTag {
  readonly #text: string
  readonly #starts = new Int32Array(attributeNames.length).fill(-1)
  readonly #ends = new Int32Array(attributeNames.length)
  #element = -1
  #attribute = -1
  #attributes = 0

  constructor(text: string) {
    this.#text = text
  }

  /** undefined for elements without a meaning of their own here. */
  get element(): ElementName | undefined {
    return this.#element === -1 ? undefined : elementNames[this.#element]
  }

  /** Whether there is nothing in it to look at. */
  get isEmpty(): boolean {
    return this.#attributes === 0
  }

  open(start: number, end: number): void {
    this.#element = elements.find(this.#text, start, end)
    if (this.#attributes > 0) this.#starts.fill(-1)
    this.#attributes = 0
    this.#attribute = -1
  }

  name(start: number, end: number): void {
    this.#attribute = attributes.find(this.#text, start, end)
  }

  value(start: number, end: number): void {
    if (this.#attribute === -1 || this.#starts[this.#attribute] !== -1) return
    this.#starts[this.#attribute] = start
    this.#ends[this.#attribute] = end
    this.#attributes += 1
  }

  /** With character references decoded; undefined when it is absent or has no value. */
  get(name: AttributeName): string | undefined {
    const number = numbers.get(name)!
    const start = this.#starts[number]!
    return start === -1 ? undefined : decodeAttribute(this.#text.slice(start, this.#ends[number]))
  }
}

/** The element that an end tag closes. */
export function elementAt(text: string, start: number, end: number): ElementName | undefined {
  const element = elements.find(text, start, end)
  return element === -1 ? undefined : elementNames[element]
}
