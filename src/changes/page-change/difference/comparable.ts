// What is compared of a document: the lines that a reader sees and the links that a reader can follow. No scripts, no
// styles, no markup.
//
// Bounded in lines, links and characters; `isCut` says when there was more.

import { type MarkupReader, readMarkup } from '../../../formats/markup/markup-reading.ts'
import { LinkResolver } from '../../../model/url/link-resolver.ts'
import { linkCharsMax, tryParseUrl, type Url } from '../../../model/url/url.ts'

export interface PageLink {
  /** Absolute. */
  readonly href: string
  /** What a reader clicks on; empty for an image without alternative text. */
  readonly text: string
}

export interface Comparable {
  readonly title: string
  readonly lines: readonly string[]
  readonly links: readonly PageLink[]
  readonly isCut: boolean
}

export interface ComparableLimits {
  readonly lines: number
  readonly links: number
  /** Of one line; a longer one is several. */
  readonly lineChars: number
}

const comparableLimits: ComparableLimits = { lines: 20_000, links: 10_000, lineChars: 4_000 }

const titleCharsMax = 300
const linkTextCharsMax = 200

/** What is inside is not for readers. */
const unseen = new Set('script style template noscript svg math object iframe datalist'.split(' '))

/** Where these come within SVG or MathML that is over, closed or not. */
const breakouts = new Set('body div p h1 h2 h3 h4 h5 h6 ul ol dl table'.split(' '))

/** These do not end a line; all others do. */
const withinLine = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

export function comparableHtml(text: string, url: Url, limits = comparableLimits): Comparable {
  const page = new SeenPage(url, limits)
  readMarkup(text, page)
  return page.finish()
}

/** Text of any other kind: its own lines. */
export function comparableText(text: string, limits = comparableLimits): Comparable {
  const lines = new Lines(limits)
  for (const line of text.split(/\r\n|\r|\n/, limits.lines + 1)) lines.add(line.trimEnd())
  return { title: '', lines: lines.all, links: [], isCut: lines.isCut }
}

/** Where links lead, each looked at once: most of a page's stand in its next version, too. */
export class LinkTargets {
  #base: Url | undefined
  #resolver: LinkResolver | undefined
  readonly #found = new Map<string, string | null>()

  of(written: string, base: Url): string | null {
    if (this.#base?.href !== base.href) {
      this.#base = base
      this.#resolver = new LinkResolver(base)
      this.#found.clear()
    }
    const known = this.#found.get(written)
    if (known !== undefined) return known
    const isLong = written.length > linkCharsMax / 2
    const found = isLong ? (tryParseUrl(written, base)?.href ?? null) : this.#resolver!.resolve(written)
    this.#found.set(written, found)
    return found
  }
}

export class SeenPage implements MarkupReader {
  readonly #limits: ComparableLimits
  readonly #lines: Lines
  readonly #links: PageLink[] = []
  #base: Url
  #isBaseTold = false
  #line = ''
  #title = ''
  #inTitle = false
  /** The element that hides what is inside, and how often it was opened within itself. */
  #hiding: string | undefined
  #depth = 0
  #link: { href: string; text: string } | undefined
  #isCut = false
  readonly #targets: LinkTargets

  constructor(url: Url, limits: ComparableLimits, targets = new LinkTargets()) {
    this.#targets = targets
    this.#base = url
    this.#limits = limits
    this.#lines = new Lines(limits)
  }

  isForeign(): boolean {
    return this.#hiding === 'svg' || this.#hiding === 'math'
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.isForeign() && breakouts.has(name)) this.#hiding = undefined
    if (this.#isHidden(name)) return
    if (name === 'base') this.#tellBase(attributes.get('href'))
    if (name === 'title' && this.#title === '') this.#inTitle = true
    if (!withinLine.has(name)) this.#endLine()
    if (name === 'a' || name === 'area') this.#startLink(attributes.get('href'), attributes.get('alt'))
    if (name === 'img') this.text(` ${attributes.get('alt') ?? ''} `)
    if (name === 'input' && /^(?:submit|button)$/i.test(attributes.get('type') ?? '')) {
      this.text(attributes.get('value') ?? '')
    }
  }

  #isHidden(name: string): boolean {
    if (this.#hiding === undefined && unseen.has(name)) {
      this.#hiding = name
      this.#depth = 0
    }
    if (this.#hiding === name) this.#depth++
    return this.#hiding !== undefined
  }

  text(text: string): void {
    if (this.#hiding !== undefined) return
    if (this.#inTitle) {
      this.#title = (this.#title + text).slice(0, titleCharsMax)
      return
    }
    this.#line += text
    if (this.#line.length > this.#limits.lineChars) this.#endLine()
    if (this.#link !== undefined && this.#link.text.length < linkTextCharsMax) this.#link.text += text
  }

  close(name: string): void {
    if (this.#hiding !== undefined) {
      if (this.#hiding === name && --this.#depth === 0) this.#hiding = undefined
      return
    }
    if (name === 'title') this.#inTitle = false
    if (name === 'a') this.#endLink()
    if (!withinLine.has(name)) this.#endLine()
  }

  finish(): Comparable {
    this.#endLink()
    this.#endLine()
    const isCut = this.#isCut || this.#lines.isCut
    return { title: collapsed(this.#title), lines: this.#lines.all, links: this.#links, isCut }
  }

  #tellBase(href: string | undefined): void {
    if (href === undefined || this.#isBaseTold) return
    this.#isBaseTold = true
    this.#base = tryParseUrl(href, this.#base) ?? this.#base
  }

  #startLink(href: string | undefined, alt = ''): void {
    this.#endLink()
    const target = href === undefined || href.startsWith('#') ? null : this.#targets.of(href, this.#base)
    if (target !== null) this.#link = { href: target, text: alt }
  }

  #endLink(): void {
    if (this.#link === undefined) return
    if (this.#links.length === this.#limits.links) this.#isCut = true
    else
      this.#links.push({ href: this.#link.href, text: collapsed(this.#link.text).slice(0, linkTextCharsMax) })
    this.#link = undefined
  }

  #endLine(): void {
    if (this.#line !== '') this.#lines.add(collapsed(this.#line))
    this.#line = ''
  }
}

class Lines {
  readonly all: string[] = []
  readonly #limits: ComparableLimits
  isCut = false

  constructor(limits: ComparableLimits) {
    this.#limits = limits
  }

  add(line: string): void {
    const { lines, lineChars } = this.#limits
    for (let start = 0; start < line.length; start += lineChars) {
      if (this.all.length === lines) {
        this.isCut = true
        return
      }
      this.all.push(line.slice(start, start + lineChars))
    }
  }
}

function collapsed(text: string): string {
  // Most is white space alone or in one line already, and looking is cheaper than replacing.
  const trimmed = text.trim()
  return /[^\S ]|\s\s/.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed
}
