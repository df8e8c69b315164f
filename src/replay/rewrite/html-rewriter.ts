// HTML rewriter: reads a page, or an SVG image, token by token, and copies it with other attribute values, scripts and
// styles.
//
// On htmlparser2's tokenizer, which gives places in the text: what is not replaced is copied as it stands. Linear in the
// text, whatever it holds. What each element's attributes mean: tag-rewriter.ts.

import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { rewriteCss } from './css-rewriter.ts'
import { rewriteInlineScript, scriptFormOf } from './inline-script.ts'
import type { LinkRewriter } from './link-rewriter.ts'
import type { ScriptContext } from './script-rewriter.ts'
import { Tag } from './tag.ts'
import { TagRewriter } from './tag-rewriter.ts'

/** `html`: as browsers read pages. `xhtml`: the same, but `<script/>` is closed. `xml`: SVG and the like. */
export type MarkupMode = 'html' | 'xhtml' | 'xml'

export interface HtmlContext {
  readonly mode: MarkupMode
  readonly links: LinkRewriter
  readonly scripts: ScriptContext
  /** Put where the head starts. */
  readonly start: string
  /** The same for a frame that is written into an attribute. */
  readonly frameStart?: string
  /** Where the last import map is, if there is one. */
  readonly lastMapAt?: () => number
  /** How many documents this one is within: frames can be written into attributes. */
  readonly depth?: number
}

/** Elements whose text is looked at when they end. */
type TextElement = 'script' | 'style'

/** Where these come within SVG or MathML it is over, closed or not (HTML, section 13.2.6.5). */
const breakouts = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed foreignobject h1 h2 h3 h4 h5 h6 head hr i img li ' +
    'listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)

const quotedFrom = 2

export class HtmlRewriter implements TokenizerCallbacks {
  readonly #text: string
  readonly #context: HtmlContext
  readonly #tokenizer: Tokenizer
  readonly #tag: Tag
  readonly #tags: TagRewriter
  #written = ''
  #copied = 0
  #isForeign = false
  #awaitsStart: boolean
  #isInTag = false
  /** The element whose text is being passed, where it began, and what kind of script it is. */
  #textElement: TextElement | undefined
  #textStart = 0
  #scriptType = ''

  constructor(text: string, context: HtmlContext) {
    this.#text = text
    this.#context = context
    this.#awaitsStart = context.start !== ''
    this.#tag = new Tag(text)
    let lastMapAt: number | undefined
    this.#tags = new TagRewriter(
      this.#tag,
      { ...context, lastMapAt: () => (lastMapAt ??= text.lastIndexOf('importmap')) },
      (start, end, replacement) => this.#replace(start, end, replacement),
    )
    const { mode } = context
    this.#tokenizer = new Tokenizer(
      { xmlMode: mode === 'xml', decodeEntities: false, recognizeSelfClosing: mode !== 'html' },
      this,
    )
  }

  rewritten(): string {
    this.#tokenizer.write(this.#text)
    this.#tokenizer.end()
    return this.#written + this.#text.slice(this.#copied)
  }

  isInForeignContext(): boolean {
    return this.#isForeign
  }

  onopentagname(start: number, end: number): void {
    this.#tag.open(start, end)
    this.#isInTag = true
  }

  onattribname(start: number, end: number): void {
    this.#tag.attribute(start, end)
  }

  onattribdata(start: number, end: number): void {
    this.#tag.value(start, end)
  }

  onattribend(quote: number, end: number): void {
    this.#tag.endAttribute(quote >= quotedFrom, end)
  }

  onopentagend(end: number): void {
    this.#isInTag = false
    const element = this.#elementName()
    if (this.#awaitsStart) this.#startBefore(element, end)
    if (this.#isForeign && breakouts.has(element)) this.#isForeign = false
    if (element === 'svg' || element === 'math') this.#isForeign = this.#context.mode !== 'xml'
    if (this.#tag.attributes.length > 0 || element === 'video' || element === 'audio')
      this.#tags.rewrite(element)
    if (this.#awaitsStart) this.#startWithin(end)
    if (element === 'script' || element === 'style') this.#enterText(element, end + 1)
  }

  onselfclosingtag(end: number): void {
    const wasForeign = this.#isForeign
    this.onopentagend(end)
    const element = this.#elementName()
    if (element === 'svg' || element === 'math') this.#isForeign = wasForeign
    if (wasForeign || this.#context.mode !== 'html') this.#textElement = undefined
  }

  onclosetag(start: number, end: number): void {
    if (this.#textElement === undefined && !this.#isForeign) return
    const element = this.#text.slice(start, end).toLowerCase()
    if (element === this.#textElement) this.#leaveText(start - 2)
    if (element === 'svg' || element === 'math') this.#isForeign = false
  }

  ontext(start: number, end: number): void {
    if (this.#awaitsStart && this.#context.mode !== 'xml' && !isBlank(this.#text, start, end))
      this.#insertStart(start)
  }

  onprocessinginstruction(start: number, end: number): void {
    const instruction = this.#text.slice(start, Math.min(end, start + 4_096))
    const match = /^(xml-stylesheet\s.*?href\s*=\s*(["']))(.*?)\2/s.exec(instruction)
    if (match === null) return
    const from = start + match[1]!.length
    const rewritten = this.#context.links.rewrite(match[3]!, 'cs_')
    if (rewritten !== undefined) this.#replace(from, from + match[3]!.length, rewritten)
  }

  onend(): void {
    if (this.#textElement !== undefined) this.#leaveText(this.#text.length)
    // A tag that the text ends in is none, unless something comes behind it.
    const end = this.#isInTag ? this.#tag.start : this.#text.length
    if (this.#awaitsStart && this.#context.mode !== 'xml') this.#insertStart(end)
  }

  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  ontextentity(): void {}

  #elementName(): string {
    return this.#text.slice(this.#tag.nameStart, this.#tag.nameEnd).toLowerCase()
  }

  /** Just behind `<head>`; where there is none, before the first element that would be in it. */
  #startBefore(element: string, end: number): void {
    if (element === 'html' || this.#context.mode === 'xml') return
    this.#insertStart(element === 'head' ? end + 1 : this.#tag.start)
  }

  /** In a drawing, behind the root. */
  #startWithin(end: number): void {
    if (this.#context.mode !== 'xml') return
    if (this.#text[end - 1] === '/') this.#awaitsStart = false
    else this.#insertStart(end + 1)
  }

  #insertStart(position: number): void {
    this.#awaitsStart = false
    this.#replace(position, position, this.#context.start)
  }

  #enterText(element: TextElement, start: number): void {
    this.#textElement = element
    this.#textStart = start
    this.#scriptType = element === 'script' ? (this.#tag.get('type') ?? '') : ''
  }

  #leaveText(end: number): void {
    const element = this.#textElement
    this.#textElement = undefined
    const text = this.#text.slice(this.#textStart, Math.max(this.#textStart, end))
    if (text === '') return
    const rewritten = element === 'style' ? this.#style(text) : this.#script(text)
    if (rewritten !== text) this.#replace(this.#textStart, end, rewritten)
  }

  #style(text: string): string {
    return rewriteCss(text, (url, modifier) => this.#context.links.rewrite(url, modifier))
  }

  #script(text: string): string {
    const form = scriptFormOf(this.#scriptType)
    return form === 'data'
      ? text
      : rewriteInlineScript(text, form, this.#context.scripts, this.#context.mode !== 'html')
  }

  #replace(start: number, end: number, replacement: string): void {
    // Places come in order; whatever does not would be a fault of the tokenizer, and is left alone.
    if (start < this.#copied) return
    this.#written += this.#text.slice(this.#copied, start) + replacement
    this.#copied = end
  }
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) {
    const code = text.charCodeAt(i)
    // The bytes of a byte order mark count as nothing too.
    if (code > 0x20 && code !== 0xef && code !== 0xbb && code !== 0xbf) return false
  }
  return true
}
