// HTML links: reads a page, or an SVG image, token by token.
//
// Without a parser: links need no tree, and a list of open elements makes deep nesting take quadratic time. What of the
// tree matters is kept here: whether we are in SVG or MathML, where title and style are elements like any other.
// Tokens of pages come from a scanner of our own (html-scanner.ts), those of XML from htmlparser2's tokenizer.
//
// Linear in the text, whatever it holds; stops early once there are more links than are kept.

import type { TokenizerCallbacks } from 'htmlparser2'
import { decodeAttribute } from '../../../formats/markup/character-references.ts'
import { htmlParser } from '../../../formats/markup/html-parser.ts'
import { HtmlScanner } from '../../../formats/markup/html-scanner.ts'
import { isRobotsMetaName, noDirectives, parseDirectives, strictest } from '../../robots/robots-directives.ts'
import { scanCss } from '../css-links.ts'
import { type LinkCollector, linkTextCharsMax } from '../link-collector.ts'
import { scanScript } from '../script-links.ts'
import { ImportMap } from './import-map.ts'
import { elementAt, OpenTag } from './open-tag.ts'
import { collectTagLinks } from './tag-links.ts'

/** `html`: as browsers read pages. `xhtml`: the same, but `<script/>` is closed. `xml`: SVG and the like. */
type MarkupMode = 'html' | 'xhtml' | 'xml'

const titleCharsMax = 1_000
/** Of an anchor's text as it is written: much of it may be white space. */
const anchorCharsMax = 4 * linkTextCharsMax
/** Frames within frames, written into their attributes. */
const nestingMax = 3

/** Where these come within SVG or MathML it is over, closed or not (HTML, section 13.2.6.5). */
const breakouts = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed foreignobject h1 h2 h3 h4 h5 h6 head hr i img li ' +
    'listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)

export class HtmlLinks implements TokenizerCallbacks {
  readonly #text: string
  readonly #links: LinkCollector
  readonly #agent: string
  readonly #mode: MarkupMode
  readonly #nesting: number
  readonly #tag: OpenTag
  readonly #reader: { read(): void; stop(): void }
  #isForeign = false
  /** The element whose text comes next, if it matters. */
  #textOf: 'style' | 'title' | 'script' | 'importmap' | undefined
  #importMap: ImportMap | undefined
  /** Of the `a` element that is open: the place of its link, and its text so far. */
  #anchor: { readonly from: number; text: string } | undefined
  #title: string | undefined
  robots = noDirectives
  /** Of the first base element that has one, as written. */
  baseHref: string | undefined

  /** `nesting`: how many frames it is written into. */
  constructor(text: string, mode: MarkupMode, links: LinkCollector, agent: string, nesting = 0) {
    this.#text = text
    this.#links = links
    this.#agent = agent
    this.#mode = mode
    this.#nesting = nesting
    this.#tag = new OpenTag(text)
    this.#reader =
      mode === 'xml'
        ? xmlReader(text, this)
        : new HtmlScanner(text, this, { closesThemselves: mode === 'xhtml' })
  }

  read(): void {
    this.#reader.read()
    this.#endAnchor()
  }

  /** In one line, or undefined when there is none. */
  get title(): string | undefined {
    const title = inOneLine(this.#title ?? '')
    return title === '' ? undefined : title
  }

  isInForeignContext(): boolean {
    return this.#isForeign
  }

  onopentagname(start: number, end: number): void {
    this.#tag.open(start, end)
    if (this.#isForeign && breakouts.has(this.#text.slice(start, end).toLowerCase())) this.#isForeign = false
  }

  onattribname(start: number, end: number): void {
    this.#tag.name(start, end)
  }

  onattribdata(start: number, end: number): void {
    this.#tag.value(start, end)
  }

  onopentagend(): void {
    const { element } = this.#tag
    if (element !== undefined) this.#enter(element)
    if (!this.#tag.isEmpty) this.#readTag()
    if (element === 'script') this.#enterScript()
  }

  onselfclosingtag(): void {
    const wasForeign = this.#isForeign
    this.onopentagend()
    if (this.#tag.element === 'svg' || this.#tag.element === 'math') this.#isForeign = wasForeign
    if (wasForeign || this.#mode !== 'html') this.#textOf = undefined
  }

  onclosetag(start: number, end: number): void {
    if (this.#anchor !== undefined && isAnchorName(this.#text, start, end)) this.#endAnchor()
    if (!this.#isForeign && this.#textOf === undefined) return
    const element = elementAt(this.#text, start, end)
    if (element === 'svg' || element === 'math') this.#isForeign = false
    if (element === 'style' || element === 'title' || element === 'script') this.#textOf = undefined
  }

  ontext(start: number, end: number): void {
    if (this.#anchor !== undefined && this.#textOf === undefined) this.#readAnchor(start, end)
    if (this.#textOf === 'title') this.#readTitle(this.#text.slice(start, end))
    if (this.#textOf === 'style') this.#readStyle(this.#text.slice(start, end))
    if (this.#textOf === 'script') this.#readScript(this.#text.slice(start, end))
    if (this.#textOf === 'importmap') this.#readImportMap(this.#text.slice(start, end))
  }

  oncdata(start: number, end: number, offset: number): void {
    this.ontext(start, end - offset)
  }

  onprocessinginstruction(start: number, end: number): void {
    const instruction = this.#text.slice(start, Math.min(end, start + 4_096))
    const href = /^xml-stylesheet\s.*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/s.exec(instruction)
    if (href !== null) this.#links.add(decodeAttribute(href[1] ?? href[2]!), 'xml stylesheet')
  }

  onattribentity(): void {}
  onattribend(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  ontextentity(): void {}

  #enter(element: string): void {
    if (element === 'svg' || element === 'math') this.#isForeign = this.#mode !== 'xml'
    if (element === 'style') this.#textOf = 'style'
    if (element === 'title' && !this.#isForeign && this.#title === undefined) this.#textOf = 'title'
  }

  #enterScript(): void {
    const type = this.#tag.get('type')?.trim().toLowerCase() ?? ''
    if (this.#tag.get('src') !== undefined) this.#textOf = undefined
    else if (type === 'importmap') this.#textOf = 'importmap'
    else if (scriptTypes.test(type)) this.#textOf = 'script'
  }

  #readTag(): void {
    const { element } = this.#tag
    if (element === 'base') this.baseHref ??= this.#tag.get('href')
    if (element === 'meta') this.#readRobots()
    if (element === 'iframe') this.#readFrame()
    if (element === 'a') this.#endAnchor()
    const from = this.#links.found
    collectTagLinks(this.#tag, this.#links)
    if (element === 'a') this.#anchor = { from, text: '' }
    else if (element === 'img') this.#readAlternative(from)
    if (this.#links.isFull) this.#reader.stop()
  }

  #readAnchor(start: number, end: number): void {
    const anchor = this.#anchor!
    if (anchor.text.length < anchorCharsMax)
      anchor.text += this.#text.slice(start, Math.min(end, start + anchorCharsMax))
  }

  /** What stands for an image is the text of its link, and of the link around it. */
  #readAlternative(from: number): void {
    const text = this.#tag.get('alt')
    if (text === undefined || text === '') return
    this.#links.describe(from, inOneLine(text).slice(0, linkTextCharsMax))
    if (this.#anchor !== undefined && this.#anchor.text.length < anchorCharsMax)
      this.#anchor.text += ` ${text.slice(0, anchorCharsMax)} `
  }

  #endAnchor(): void {
    const anchor = this.#anchor
    if (anchor === undefined) return
    this.#anchor = undefined
    this.#links.describe(anchor.from, inOneLine(anchor.text).slice(0, linkTextCharsMax))
  }

  #readRobots(): void {
    const name = this.#tag.get('name')
    if (name === undefined || !isRobotsMetaName(name, this.#agent)) return
    const directives = parseDirectives([this.#tag.get('content') ?? ''], this.#agent)
    this.robots = strictest(this.robots, directives)
  }

  /** A frame whose page is an attribute of it: it lies where the page around it lies. */
  #readFrame(): void {
    const page = this.#tag.get('srcdoc')
    if (page === undefined || this.#nesting >= nestingMax) return
    new HtmlLinks(page, 'html', this.#links, this.#agent, this.#nesting + 1).read()
  }

  #readTitle(text: string): void {
    const title = this.#title ?? ''
    this.#title = title + text.slice(0, titleCharsMax - title.length)
  }

  #readStyle(text: string): void {
    scanCss(text, (url, source) => this.#links.add(url, source))
  }

  #readScript(text: string): void {
    scanScript(text, (url, source) => this.#links.add(url, source), this.#importMap)
  }

  /** The first one counts for the scripts behind it. */
  #readImportMap(text: string): void {
    const map = new ImportMap(text)
    this.#importMap ??= map
    for (const file of map.files) this.#links.add(file, 'import map')
  }
}

/** What most texts, one line of words already, have not. */
const unplain = /[^ -%'-~\u00a1-\u1fff]| {2}|^ | $/
/** White space and control characters. */
const unprintable = /[\s\x00-\x1f\x7f-\x9f]+/g

function isAnchorName(text: string, start: number, end: number): boolean {
  return end - start === 1 && (text.charCodeAt(start) | 0x20) === 0x61
}

/** With character references decoded; nothing in it breaks a line. */
function inOneLine(text: string): string {
  return unplain.test(text) ? decodeAttribute(text).replace(unprintable, ' ').trim() : text
}

/** What browsers run. */
const scriptTypes = /^(?:|module|(?:application|text)\/(?:x-)?(?:java|ecma|live|j)script(?:1\.\d)?)$/

function xmlReader(text: string, callbacks: TokenizerCallbacks): { read(): void; stop(): void } {
  const tokenizer = new (htmlParser().Tokenizer)({ xmlMode: true, decodeEntities: false }, callbacks)
  return {
    read: () => {
      tokenizer.write(text)
      tokenizer.end()
    },
    stop: () => tokenizer.pause(),
  }
}
