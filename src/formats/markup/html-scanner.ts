// HTML scanner: the tags and texts of a page, found by looking for the next `<`, `>` or quote rather than at each character.
//
// Invariant: tells what htmlparser2's tokenizer tells, in HTML mode and without decoding character references; a property
// holds the two against each other. That one looks at every character through a state machine, and took most of the time
// that reading a page took. Comments and declarations, in which nothing is looked for, are passed over untold.
//
// Linear in the text. A tag that does not end is not told.

import { endsSection, equals, greaterThan, isLetter, isSpace, slash } from './markup-characters.ts'
import { RawText } from './raw-text.ts'

/** Places in the text, the end not included. */
export interface HtmlListener {
  onopentagname(start: number, end: number): void
  onattribname(start: number, end: number): void
  onattribdata(start: number, end: number): void
  onopentagend(): void
  onselfclosingtag(): void
  onclosetag(start: number, end: number): void
  ontext(start: number, end: number): void
  oncdata(start: number, end: number, offset: number): void
  /** Whether we are in SVG or MathML, where no element holds raw text. */
  isInForeignContext(): boolean
  /** A tag as it stands, without its `<` and `>`, of an element without raw text: true when it was told before, with `tagEnded`, and
   * is not to be read again. */
  recallTag?(written: string): boolean
  /** What was told since the tag's name is all of this tag. */
  tagEnded?(written: string): void
}

const exclamationMark = 0x21
const doubleQuote = 0x22
const singleQuote = 0x27
const questionMark = 0x3f
/** Longer tags are read again each time: they hardly come twice. */
const recalledCharsMax = 300

export class HtmlScanner {
  readonly #text: string
  readonly #listener: HtmlListener
  readonly #closesThemselves: boolean
  #isStopped = false

  /** `closesThemselves`: `<script/>` is closed, as in XHTML. */
  constructor(text: string, listener: HtmlListener, { closesThemselves = false } = {}) {
    this.#text = text
    this.#listener = listener
    this.#closesThemselves = closesThemselves
  }

  /** Nothing more is told. */
  stop(): void {
    this.#isStopped = true
  }

  read(): void {
    const text = this.#text
    let textStart = 0
    let at = 0
    while (!this.#isStopped) {
      const opening = text.indexOf('<', at)
      if (textStart < opening) this.#listener.ontext(textStart, opening)
      if (opening === -1) break
      const end = this.#readMarkup(opening)
      // Of a `<` that opens nothing the text goes on.
      textStart = end ?? opening
      at = end ?? opening + 1
    }
    if (!this.#isStopped && textStart < text.length) this.#listener.ontext(textStart, text.length)
  }

  /** Where what the `<` at this place opens is over; undefined when it opens nothing. */
  #readMarkup(opening: number): number | undefined {
    const next = this.#text.charCodeAt(opening + 1)
    if (isLetter(next)) return this.#readTag(opening + 1)
    if (next === slash) return this.#readClosingTag(opening + 2)
    if (next === exclamationMark) return this.#readDeclaration(opening + 2)
    return next === questionMark ? this.#past('>', opening + 2) : undefined
  }

  #readTag(start: number): number {
    const isForeign = this.#listener.isInForeignContext()
    const end = this.#sectionEnd(start + 1)
    if (end === this.#text.length) return end
    const raw = isForeign ? undefined : RawText.of(this.#text, start, end)
    const written = raw === undefined ? this.#writtenTag(start, end) : undefined
    if (written !== undefined && this.#listener.recallTag!(written)) return start + written.length + 1
    this.#listener.onopentagname(start, end)
    const behind = this.#readAttributes(end, raw)
    if (written !== undefined && behind === start + written.length + 1) this.#listener.tagEnded!(written)
    return behind
  }

  /** Up to the next `>`, where the tag ends unless that stands in a value. */
  #writtenTag(start: number, nameEnd: number): string | undefined {
    if (this.#listener.recallTag === undefined) return undefined
    const end = this.#text.indexOf('>', nameEnd)
    return end === -1 || end - start > recalledCharsMax ? undefined : this.#text.slice(start, end)
  }

  /** From behind the tag's name. */
  #readAttributes(start: number, raw: RawText | undefined): number {
    const text = this.#text
    let isClosed = false
    for (let at = start; at < text.length; ) {
      const code = text.charCodeAt(at)
      if (code === greaterThan) {
        if (isClosed) this.#listener.onselfclosingtag()
        else this.#listener.onopentagend()
        return raw === undefined || (isClosed && this.#closesThemselves) ? at + 1 : this.#readRaw(at + 1, raw)
      }
      if (code === slash) isClosed = true
      else if (!isSpace(code)) {
        isClosed = false
        at = this.#readAttribute(at)
        continue
      }
      at++
    }
    return text.length
  }

  /** Where the next one may begin. */
  #readAttribute(start: number): number {
    const text = this.#text
    let at = start + 1
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === equals || endsSection(code)) break
    }
    if (at === text.length) return at
    this.#listener.onattribname(start, at)
    at = this.#pastSpace(at)
    return text.charCodeAt(at) === equals ? this.#readValue(this.#pastSpace(at + 1)) : at
  }

  #readValue(start: number): number {
    const text = this.#text
    const code = text.charCodeAt(start)
    if (code === doubleQuote || code === singleQuote) {
      const end = text.indexOf(code === doubleQuote ? '"' : "'", start + 1)
      if (end === -1) return text.length
      this.#listener.onattribdata(start + 1, end)
      return end + 1
    }
    let at = start
    for (; at < text.length; at++) {
      const each = text.charCodeAt(at)
      if (each === greaterThan || isSpace(each)) break
    }
    if (at < text.length) this.#listener.onattribdata(start, at)
    return at
  }

  /** Up to the end tag of the element, whose name alone counts in there. */
  #readRaw(start: number, raw: RawText): number {
    // Whoever is told of the tag may have had enough.
    if (this.#isStopped) return start
    const end = raw.end(this.#text, start)
    if (start < end) this.#listener.ontext(start, end)
    return end === this.#text.length ? end : (this.#readClosingTag(end + 2) ?? end)
  }

  #readClosingTag(start: number): number | undefined {
    if (start >= this.#text.length) return undefined
    if (!isLetter(this.#text.charCodeAt(start))) return this.#past('>', start)
    const end = this.#sectionEnd(start + 1)
    if (end === this.#text.length) return end
    this.#listener.onclosetag(start, end)
    return this.#past('>', end)
  }

  #readDeclaration(start: number): number {
    const text = this.#text
    if (text.startsWith('--', start)) return this.#pastComment(start + 2)
    if (!text.startsWith('[CDATA[', start)) return this.#past('>', start)
    const end = text.indexOf(']]>', start + 7)
    if (end === -1) return text.length
    this.#listener.oncdata(start + 7, end + 2, 2)
    return end + 3
  }

  #pastComment(start: number): number {
    const text = this.#text
    if (text.startsWith('>', start)) return start + 1
    if (text.startsWith('->', start)) return start + 2
    for (let dashes = text.indexOf('--', start); dashes !== -1; dashes = text.indexOf('--', dashes + 1)) {
      if (text.charCodeAt(dashes + 2) === greaterThan) return dashes + 3
      if (text.startsWith('!>', dashes + 2)) return dashes + 4
    }
    return text.length
  }

  #past(character: string, from: number): number {
    const found = this.#text.indexOf(character, from)
    return found === -1 ? this.#text.length : found + 1
  }

  #pastSpace(from: number): number {
    let at = from
    while (at < this.#text.length && isSpace(this.#text.charCodeAt(at))) at++
    return at
  }

  /** Where a name ends: the first space, `/` or `>`. */
  #sectionEnd(from: number): number {
    let at = from
    while (at < this.#text.length && !endsSection(this.#text.charCodeAt(at))) at++
    return at
  }
}
