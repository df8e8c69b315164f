// Tag rewriter: what each attribute of HTML and SVG means to replay, and what takes its place.
//
// Links get the modifier of what they load. What would reach out of the archive or out of the frame, or would refuse our
// bytes, loses its effect by another name or value: integrity, nonce, policies, preconnections, pings, targets of other
// windows.

import type { PartModifier } from '../replay-address.ts'
import { decodeAttribute, encodeAttribute, encodeQuotes } from './attribute-text.ts'
import { rewriteCss } from './css-rewriter.ts'
import type { HtmlContext } from './html-rewriter.ts'
import { HtmlRewriter } from './html-rewriter.ts'
import { isUnwantedRelation, modifierOfLink } from './link-relation.ts'
import { rewriteRefresh } from './refresh-rewriter.ts'
import { rewriteScript } from './script-rewriter.ts'
import { rewriteSrcset } from './srcset-rewriter.ts'
import type { Attribute, Tag } from './tag.ts'

type Replace = (start: number, end: number, text: string) => void

/** Frames within attributes within frames … are read this deep. */
const depthMax = 3

/** What an attribute links to, by element; `*` on every other element. */
const modifiers: Readonly<Record<string, Readonly<Record<string, PartModifier>>>> = {
  href: { a: 'mp_', area: 'mp_', image: 'im_', feimage: 'im_', use: 'im_', script: 'js_', '*': 'mp_' },
  'xlink:href': { a: 'mp_', image: 'im_', feimage: 'im_', use: 'im_', script: 'js_', '*': 'im_' },
  src: {
    img: 'im_',
    input: 'im_',
    image: 'im_',
    iframe: 'if_',
    frame: 'fr_',
    embed: 'oe_',
    video: 'oe_',
    audio: 'oe_',
    source: 'oe_',
    track: 'oe_',
    '*': 'mp_',
  },
  action: { form: 'mp_' },
  formaction: { '*': 'mp_' },
  data: { object: 'oe_' },
  codebase: { object: 'oe_', applet: 'oe_' },
  archive: { applet: 'oe_' },
  poster: { '*': 'im_' },
  background: { '*': 'im_' },
  cite: { '*': 'mp_' },
  longdesc: { '*': 'mp_' },
  lowsrc: { '*': 'im_' },
  dynsrc: { '*': 'im_' },
  'xml:base': { '*': 'mp_' },
}

/** These would act on what is no longer there, or against what we do. */
const disarmed = new Set([
  'integrity',
  'nonce',
  'ping',
  'csp',
  'referrerpolicy',
  'manifest',
  'attributionsrc',
])

/** What a canvas, a script or an error handler looks into. */
const shared = new Set(['img', 'video', 'audio', 'link', 'script'])

const unwantedDirectives = new Set([
  'content-security-policy',
  'content-security-policy-report-only',
  'x-content-security-policy',
  'x-webkit-csp',
  'x-dns-prefetch-control',
  'set-cookie',
  'origin-trial',
  'accept-ch',
  'delegate-ch',
])

export class TagRewriter {
  readonly #tag: Tag
  readonly #context: HtmlContext
  readonly #replace: Replace

  constructor(tag: Tag, context: HtmlContext, replace: Replace) {
    this.#tag = tag
    this.#context = context
    this.#replace = replace
  }

  rewrite(element: string): void {
    if (element === 'base') this.#setBase()
    if (shared.has(element)) this.#share(element)
    for (const attribute of this.#tag.attributes) this.#attribute(element, attribute)
  }

  /** Asked for across origins, which is allowed here, a canvas or a script may look into it as it could before. */
  #share(element: string): void {
    if (this.#tag.find('crossorigin') !== undefined) return
    const loads = this.#tag.find(element === 'link' ? 'href' : 'src') ?? this.#tag.find('srcset')
    // What films and sounds load stands in the elements within them, too.
    const isMedia = element === 'video' || element === 'audio'
    if ((loads === undefined && !isMedia) || (element === 'link' && modifierOfLink(this.#tag) !== 'cs_'))
      return
    this.#replace(this.#tag.nameEnd, this.#tag.nameEnd, ' crossorigin=""')
  }

  #attribute(element: string, attribute: Attribute): void {
    const { name } = attribute
    if (disarmed.has(name)) this.#disarm(element, attribute)
    else if (attribute.valueStart === -1) return
    else if (name.startsWith('on')) this.#handler(attribute)
    else if (name === 'style') this.#style(attribute)
    else if (name === 'srcset' || name === 'imagesrcset') this.#srcset(attribute)
    else if (name === 'srcdoc') this.#document(attribute)
    else if (name === 'target') this.#target(attribute)
    else if (name === 'content') this.#content(element, attribute)
    else if (name === 'http-equiv') this.#directive(attribute)
    else if (name === 'name') this.#name(element, attribute)
    else if (name === 'rel') this.#relation(element, attribute)
    else if (name === 'type') this.#type(element, attribute)
    else if (name === 'crossorigin') this.#crossOrigin(attribute)
    else this.#link(element, attribute)
  }

  #link(element: string, attribute: Attribute): void {
    const modifier = this.#modifierOf(element, attribute.name)
    if (modifier === undefined) return
    const written = this.#tag.written(attribute)
    // A reference among the first characters can hide the scheme; anywhere else it may stay as it is.
    const hidden = /^[^?#]{0,30}&(?!amp;)/.test(written)
    const value = hidden ? decodeAttribute(written) : written
    if (/^[\x00-\x20]*j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[^:]{0,20}:/i.test(value)) {
      this.#scriptLink(attribute, hidden ? value : decodeAttribute(value))
      return
    }
    const rewritten = this.#context.links.rewrite(value, modifier)
    if (rewritten === undefined) return
    this.#setValue(attribute, hidden ? encodeAttribute(rewritten) : encodeQuotes(rewritten))
  }

  #modifierOf(element: string, name: string): PartModifier | undefined {
    const isModule = element === 'script' && this.#tag.get('type')?.trim().toLowerCase() === 'module'
    if (element === 'script' && /^(?:src|href|xlink:href)$/.test(name)) return isModule ? 'esm_' : 'js_'
    if (element === 'link' && name === 'href') return modifierOfLink(this.#tag)
    if (element === 'base') return name === 'href' ? 'mp_' : undefined
    const byElement = modifiers[name]
    return byElement?.[element] ?? byElement?.['*']
  }

  #scriptLink(attribute: Attribute, value: string): void {
    const colon = value.indexOf(':') + 1
    const script = value.slice(colon)
    const rewritten = rewriteScript(script, 'handler', this.#context.scripts)
    if (rewritten !== script) {
      // Line ends are dropped from URLs, and a comment would then swallow our end.
      const safe = rewritten.replace(/\n\}\}$/, '%0A}}')
      this.#setValue(attribute, encodeAttribute(value.slice(0, colon) + safe))
    }
  }

  #handler(attribute: Attribute): void {
    const value = decodeAttribute(this.#tag.written(attribute))
    const rewritten = rewriteScript(value, 'handler', this.#context.scripts)
    if (rewritten !== value) this.#setValue(attribute, encodeAttribute(rewritten))
  }

  #style(attribute: Attribute): void {
    const written = this.#tag.written(attribute)
    if (!/url\(|image-set\(/i.test(written)) return
    const value = decodeAttribute(written)
    const rewritten = rewriteCss(value, (url, modifier) => this.#context.links.rewrite(url, modifier))
    if (rewritten !== value) this.#setValue(attribute, encodeAttribute(rewritten))
  }

  #srcset(attribute: Attribute): void {
    const value = decodeAttribute(this.#tag.written(attribute))
    const rewritten = rewriteSrcset(value, (url) => this.#context.links.rewrite(url, 'im_'))
    if (rewritten !== value) this.#setValue(attribute, encodeAttribute(rewritten))
  }

  #document(attribute: Attribute): void {
    const depth = (this.#context.depth ?? 0) + 1
    if (depth > depthMax) {
      this.#setValue(attribute, '')
      return
    }
    const value = decodeAttribute(this.#tag.written(attribute))
    const rewritten = new HtmlRewriter(value, {
      ...this.#context,
      mode: 'html',
      start: this.#context.frameStart ?? '',
      depth,
    }).rewritten()
    this.#setValue(attribute, encodeAttribute(rewritten))
  }

  /** Other windows than the page's own are out of reach: links open where they are. */
  #target(attribute: Attribute): void {
    const value = this.#tag.written(attribute).trim().toLowerCase()
    if (value === '_blank' || value === '_top' || value === '_parent' || value === '_new')
      this.#setValue(attribute, '_self')
  }

  #content(element: string, attribute: Attribute): void {
    if (element !== 'meta' || this.#tag.get('http-equiv')?.trim().toLowerCase() !== 'refresh') return
    const value = decodeAttribute(this.#tag.written(attribute))
    const rewritten = rewriteRefresh(value, (url) => this.#context.links.rewrite(url, 'mp_'))
    if (rewritten !== undefined) this.#setValue(attribute, encodeAttribute(rewritten))
  }

  #directive(attribute: Attribute): void {
    const value = decodeAttribute(this.#tag.written(attribute)).trim().toLowerCase()
    if (unwantedDirectives.has(value)) this.#setValue(attribute, `x-archived-${value}`)
  }

  #name(element: string, attribute: Attribute): void {
    if (element !== 'meta') return
    const value = decodeAttribute(this.#tag.written(attribute)).trim().toLowerCase()
    if (value === 'referrer') this.#setValue(attribute, 'x-archived-referrer')
  }

  #relation(element: string, attribute: Attribute): void {
    if (element !== 'link') return
    const value = decodeAttribute(this.#tag.written(attribute))
    const relations = value
      .split(/[\t\n\f\r ]+/)
      .map((relation) => (this.#isUnwanted(relation) ? `x-archived-${relation}` : relation))
    const rewritten = relations.join(' ')
    if (rewritten.length !== value.length) this.#setValue(attribute, encodeAttribute(rewritten))
  }

  /** Many browsers heed no import map behind a module that is under way, and without its map the page does not work. */
  #isUnwanted(relation: string): boolean {
    return (
      isUnwantedRelation(relation) ||
      (relation.toLowerCase() === 'modulepreload' &&
        this.#context.lastMapAt !== undefined &&
        this.#tag.start < this.#context.lastMapAt())
    )
  }

  #type(element: string, attribute: Attribute): void {
    if (element === 'script' && /^\s*speculationrules\s*$/i.test(this.#tag.written(attribute)))
      this.#setValue(attribute, 'x-archived-speculationrules')
  }

  /** With credentials an answer for everyone is refused; there are no credentials here. */
  #crossOrigin(attribute: Attribute): void {
    if (/^\s*use-credentials\s*$/i.test(this.#tag.written(attribute))) this.#setValue(attribute, 'anonymous')
  }

  #setBase(): void {
    const href = this.#tag.get('href')
    const base = href === undefined ? null : URL.parse(href.trim(), this.#context.links.base)
    if (base !== null) this.#context.links.setBase(base.href)
  }

  /** Kept under another name, for whoever reads the source. */
  #disarm(element: string, attribute: Attribute): void {
    if (attribute.name === 'manifest' && element !== 'html') return
    this.#replace(attribute.start, attribute.start, 'data-archived-')
  }

  /** `value` is markup: without quotes, `<` and `>`. */
  #setValue(attribute: Attribute, value: string): void {
    const text = attribute.isQuoted ? value : `"${value}"`
    this.#replace(attribute.valueStart, attribute.valueEnd, text)
  }
}
