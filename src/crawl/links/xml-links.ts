// XML links: sitemaps and their indexes, RSS, Atom and RDF feeds, DASH manifests.
//
// Prefixes of names are dropped, as feeds in the wild use any; only sitemaps need them, to tell pages from images.
// An element that the end of the text cuts off is left out: half a URL is a wrong one.
// Linear in the text; stops early once there are more links than are kept.

import type { Tokenizer, TokenizerCallbacks } from 'htmlparser2'
import { htmlParser } from '../../formats/markup/html-parser.ts'
import type { LinkCollector } from './link-collector.ts'
import type { LinkSource } from './link-source.ts'

export type XmlFormat = 'sitemap' | 'feed' | 'dash'

export interface XmlElement {
  /** Without prefix, in lower case. */
  readonly name: string
  readonly prefix: string
  /** The name of the first element. */
  readonly root: string
  readonly attributes: ReadonlyMap<string, string>
  /** Of the element itself, up to its first child. */
  readonly text: string
}

export type XmlRule = (element: XmlElement) => readonly [url: string, source: LinkSource] | undefined

const textCharsMax = 64 * 1024

export class XmlLinks implements TokenizerCallbacks {
  readonly #source: string
  readonly #rule: XmlRule
  readonly #links: LinkCollector
  readonly #tokenizer: Tokenizer
  #root = ''
  #rawName = ''
  #attributes = new Map<string, string>()
  #attribute = ''
  #value = ''
  #text = ''
  #isOpen = false

  constructor(source: string, rule: XmlRule, links: LinkCollector) {
    this.#source = source
    this.#rule = rule
    this.#links = links
    this.#tokenizer = new (htmlParser().Tokenizer)({ xmlMode: true, decodeEntities: true }, this)
  }

  read(): void {
    this.#tokenizer.write(this.#source)
    this.#tokenizer.end()
  }

  onopentagname(start: number, end: number): void {
    this.#finishElement()
    this.#rawName = this.#source.slice(start, Math.min(end, start + 100)).toLowerCase()
    if (this.#root === '') this.#root = localName(this.#rawName)
    this.#attributes = new Map()
    this.#text = ''
    this.#isOpen = true
  }

  onattribname(start: number, end: number): void {
    this.#attribute = localName(this.#source.slice(start, Math.min(end, start + 100)).toLowerCase())
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value = appended(this.#value, this.#source, start, end)
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(): void {
    if (this.#attributes.size < 20) this.#attributes.set(this.#attribute, this.#value)
  }

  ontext(start: number, end: number): void {
    if (this.#isOpen) this.#text = appended(this.#text, this.#source, start, end)
  }

  ontextentity(codePoint: number): void {
    if (this.#isOpen) this.#text += String.fromCodePoint(codePoint)
  }

  oncdata(start: number, end: number, offset: number): void {
    this.ontext(start, end - offset)
  }

  onselfclosingtag(): void {
    this.#finishElement()
  }

  onclosetag(): void {
    this.#finishElement()
  }

  onopentagend(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  #finishElement(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const name = localName(this.#rawName)
    const prefix = this.#rawName.slice(0, Math.max(0, this.#rawName.length - name.length - 1))
    const text = this.#text.trim()
    const link = this.#rule({ name, prefix, root: this.#root, attributes: this.#attributes, text })
    if (link === undefined) return
    this.#links.add(link[0].trim(), link[1])
    if (this.#links.isFull) this.#tokenizer.pause()
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function appended(text: string, source: string, start: number, end: number): string {
  return text.length > textCharsMax ? text : text + source.slice(start, end)
}
