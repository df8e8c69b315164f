// Markup reading: opening tags with their attributes, text, and closing tags, as they stand in a document.
//
// On the scanner (html-scanner.ts), which tells what htmlparser2's tokenizer tells in a fraction of its time; not on a parser, whose
// list of open elements makes deep nesting take quadratic time: a megabyte of `<div>` took half a minute. Linear in the text; no tree,
// no elements that nobody wrote.
//
// A tag that stands in a text many times, or in two versions of it, is read once: readers get the very same attributes again, and may
// keep what they made of them.

import { decodeAttribute, decodeText } from './character-references.ts'
import { type HtmlListener, HtmlScanner } from './html-scanner.ts'

export interface MarkupReader {
  /** Names are in lower case; of an attribute given twice the first counts. */
  open(name: string, attributes: ReadonlyMap<string, string>): void
  text(text: string): void
  close(name: string): void
  /** In SVG and MathML, `<style>` and `<title>` are elements like any other. */
  isForeign(): boolean
}

interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly isSelfClosing: boolean
}

/** A tag with more is an attack. */
const attributesMax = 500
const tagsMax = 5_000
/** Where a character reference is text like any other. */
const undecoded = new Set(['iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'xmp'])
const noAttributes: ReadonlyMap<string, string> = new Map()

/** Tags that were read, as they were written: for texts that have much in common. */
export class KnownTags {
  readonly #tags = new Map<string, Tag>()

  get(written: string): Tag | undefined {
    return this.#tags.get(written)
  }

  add(written: string, tag: Tag): void {
    if (this.#tags.size < tagsMax) this.#tags.set(written, tag)
  }
}

export function readMarkup(text: string, reader: MarkupReader, known = new KnownTags()): void {
  new HtmlScanner(text, new Tags(text, reader, known)).read()
}

class Tags implements HtmlListener {
  readonly #text: string
  readonly #reader: MarkupReader
  readonly #known: KnownTags
  #name = ''
  #attribute: string | undefined
  #value = ''
  #attributes: Map<string, string> | undefined
  #tag: Tag | undefined
  /** The text to come is that of an element whose text is not decoded. */
  #isUndecoded = false

  constructor(text: string, reader: MarkupReader, known: KnownTags) {
    this.#text = text
    this.#reader = reader
    this.#known = known
  }

  isInForeignContext(): boolean {
    return this.#reader.isForeign()
  }

  recallTag(written: string): boolean {
    const tag = this.#known.get(written)
    if (tag === undefined) return false
    this.#isUndecoded = false
    this.#open(tag)
    return true
  }

  tagEnded(written: string): void {
    if (this.#tag !== undefined) this.#known.add(written, this.#tag)
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#text.slice(start, end).toLowerCase()
    this.#isUndecoded = !this.#reader.isForeign() && undecoded.has(this.#name)
    this.#attributes = undefined
    this.#attribute = undefined
  }

  onattribname(start: number, end: number): void {
    this.#endAttribute()
    this.#attribute = this.#text.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value = decodeAttribute(this.#text.slice(start, end))
  }

  onopentagend(): void {
    this.#tellOpen(false)
  }

  onselfclosingtag(): void {
    this.#tellOpen(true)
  }

  onclosetag(start: number, end: number): void {
    this.#isUndecoded = false
    this.#reader.close(this.#text.slice(start, end).toLowerCase())
  }

  ontext(start: number, end: number): void {
    const text = this.#text.slice(start, end)
    this.#reader.text(this.#isUndecoded ? text : decodeText(text))
  }

  oncdata(): void {}

  #tellOpen(isSelfClosing: boolean): void {
    this.#endAttribute()
    this.#tag = { name: this.#name, attributes: this.#attributes ?? noAttributes, isSelfClosing }
    this.#open(this.#tag)
  }

  #open({ name, attributes, isSelfClosing }: Tag): void {
    this.#reader.open(name, attributes)
    if (isSelfClosing && this.#reader.isForeign()) this.#reader.close(name)
  }

  #endAttribute(): void {
    if (this.#attribute === undefined) return
    this.#attributes ??= new Map()
    if (this.#attributes.size < attributesMax && !this.#attributes.has(this.#attribute))
      this.#attributes.set(this.#attribute, this.#value)
    this.#attribute = undefined
  }
}
