// HTML text: what a reader sees of a page, by field. Scripts, styles, forms and navigation are left out: they stand on every page
// of a site, and say nothing of this one.
//
// On the tokenizer alone (markup-reading.ts): linear in the text, whatever the nesting. Bounded: what is longer is cut.

import { type MarkupReader, readMarkup } from '../../formats/markup/markup-reading.ts'
import type { PageText } from './page-text.ts'

const textCharsMax = 400_000
export const titleCharsMax = 500
const descriptionCharsMax = 1_000
const headingCharsMax = 20_000

const leftOut: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'noscript',
    'template',
    'nav',
    'select',
    'button',
    'svg',
    'math',
    'object',
    'iframe',
  ],
  ...['textarea', 'datalist', 'dialog'],
])
const foreign: ReadonlySet<string> = new Set(['svg', 'math'])
/** Between the words of these there is no gap. */
const inline: ReadonlySet<string> = new Set([
  ...[
    'a',
    'abbr',
    'b',
    'bdi',
    'bdo',
    'cite',
    'code',
    'data',
    'dfn',
    'em',
    'font',
    'i',
    'ins',
    'kbd',
    'mark',
    'q',
  ],
  ...[
    's',
    'samp',
    'small',
    'span',
    'strong',
    'sub',
    'sup',
    'time',
    'u',
    'var',
    'wbr',
    'tt',
    'big',
    'del',
    'ruby',
  ],
])
const heading = /^h[1-6]$/

export function textOfHtml(html: string): PageText {
  const reader = new TextReader()
  readMarkup(html, reader)
  return reader.whole()
}

class TextReader implements MarkupReader {
  #title = ''
  #hasTitle = false
  #isTitle = false
  #description = ''
  #language = ''
  readonly #headings: string[] = []
  #headingChars = 0
  #heading: string | undefined
  readonly #parts: string[] = []
  #chars = 0
  /** Open elements whose text is left out, by name. */
  readonly #hidden: string[] = []
  #foreignDepth = 0

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (foreign.has(name)) this.#foreignDepth++
    if (name === 'html') this.#language ||= attributes.get('lang') ?? ''
    else if (name === 'meta') this.#meta(attributes)
    else if (name === 'title' && !this.#hasTitle && this.#foreignDepth === 0) this.#isTitle = true
    else if (leftOut.has(name)) {
      if (this.#hidden.length < 100) this.#hidden.push(name)
    } else if (heading.test(name)) this.#heading = ''
    else if (name === 'img') this.#add(` ${attributes.get('alt')?.slice(0, 300) ?? ''} `)
    if (!inline.has(name)) this.#add('\n')
  }

  text(text: string): void {
    if (this.#isTitle) {
      if (this.#title.length < titleCharsMax) this.#title += text
    } else if (this.#hidden.length === 0) this.#add(text)
  }

  close(name: string): void {
    if (foreign.has(name) && this.#foreignDepth > 0) this.#foreignDepth--
    if (name === 'title') {
      this.#hasTitle ||= this.#isTitle && this.#title.trim() !== ''
      this.#isTitle = false
    }
    const hidden = this.#hidden.lastIndexOf(name)
    if (hidden !== -1) this.#hidden.length = hidden
    // A page that never closes its navigation has a text all the same.
    if (name === 'header' || name === 'body' || name === 'main') this.#hidden.length = 0
    if (heading.test(name)) this.#closeHeading()
    if (!inline.has(name)) this.#add('\n')
  }

  isForeign(): boolean {
    return this.#foreignDepth > 0
  }

  whole(): PageText {
    this.#closeHeading()
    return {
      title: tidiedLine(this.#title).slice(0, titleCharsMax),
      description: tidiedLine(this.#description).slice(0, descriptionCharsMax),
      headings: this.#headings,
      body: tidiedLines(this.#parts.join('')),
      language: this.#language.slice(0, 20).toLowerCase(),
    }
  }

  #add(text: string): void {
    if (this.#hidden.length > 0 || this.#chars >= textCharsMax) return
    this.#parts.push(text)
    this.#chars += text.length
    if (this.#heading !== undefined && this.#heading.length < titleCharsMax) this.#heading += text
  }

  #closeHeading(): void {
    const text = tidiedLine(this.#heading ?? '')
    this.#heading = undefined
    if (text === '' || this.#headingChars > headingCharsMax) return
    this.#headings.push(text)
    this.#headingChars += text.length
  }

  #meta(attributes: ReadonlyMap<string, string>): void {
    const name = (attributes.get('name') ?? attributes.get('property') ?? '').toLowerCase()
    if (name === 'description' || name === 'og:description')
      this.#description ||= attributes.get('content') ?? ''
    else if (attributes.get('http-equiv')?.toLowerCase() === 'content-language')
      this.#language ||= attributes.get('content') ?? ''
  }
}

export function tidiedLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A line for each block of the page. */
export function tidiedLines(text: string): string {
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\n ]*/g, '\n')
    .trim()
}
