// Link collector: the links of one document, as they are found; resolved once the base is known.
//
// Invariants: no href twice, none that is the document's own; at most linksMax links and hrefCharsMax characters of
// them, the first ones; where a URL is found in two ways the stronger source stands; a URL is `noFollow` only if each
// of its links is. Of the texts that a URL is linked with the first counts that says something.

import { LinkResolver } from '../../model/url/link-resolver.ts'
import type { Url } from '../../model/url/url.ts'
import { HrefPlaces } from './href-places.ts'
import { isStronger, type LinkSource, sourceNumber } from './link-source.ts'

/** As many as a sitemap may have, and far more than any page for people. */
export const linksMax = 50_000
const hrefCharsMax = 16 * 1024 * 1024

/** Found, not resolved: duplicates are not known yet, so there may be more of them. */
const foundMax = 4 * linksMax
/** Longer ones are data, not addresses; white space around an address may be long too, but is not worth it. */
const writtenCharsMax = 64 * 1024

/** In a mark, next to the number of the source. */
export const noFollowBit = 0x80

/** More of an anchor's text says nothing more of where it leads. */
export const linkTextCharsMax = 120

export interface CollectedLinks {
  /** One href per line. */
  readonly hrefs: string
  /** For each line the number of its source, and noFollowBit. */
  readonly marks: Uint8Array
  /** What each is linked with, one per line; '' when none has any. */
  readonly texts: string
  /** Whether there was more of it than is kept. */
  readonly isCut: boolean
}

export class LinkCollector {
  readonly #written: string[] = []
  readonly #marks: number[] = []
  readonly #texts: string[] = []
  #hasTexts = false
  #isCut = false

  /** Whether more of them would be in vain. */
  get isFull(): boolean {
    return this.#isCut
  }

  add(written: string, source: LinkSource, isNoFollow = false): void {
    if (written === '' || written.charCodeAt(0) === 0x23 || written.length > writtenCharsMax) return
    if (this.#written.length >= foundMax) {
      this.#isCut = true
      return
    }
    this.#written.push(written)
    this.#marks.push(sourceNumber(source) | (isNoFollow ? noFollowBit : 0))
    this.#texts.push('')
  }

  /** Links found so far, resolved or not: the place of the next one. */
  get found(): number {
    return this.#written.length
  }

  /** What the links from this place on are linked with, in one line. */
  describe(from: number, text: string): void {
    if (text === '') return
    this.#hasTexts = true
    for (let at = from; at < this.#texts.length; at++) this.#texts[at] ||= text
  }

  resolve(own: Url, base: Url): CollectedLinks {
    const resolver = new LinkResolver(base)
    const places = new HrefPlaces()
    const marks: number[] = []
    const texts: string[] = []
    let chars = 0
    for (let i = 0; i < this.#written.length; i++) {
      const href = resolver.resolve(this.#written[i]!)
      if (href === null || href === own.href) continue
      const place = places.placeOf(href)
      if (place < marks.length) {
        marks[place] = strongerMark(marks[place]!, this.#marks[i]!)
        texts[place] ||= this.#texts[i]!
        continue
      }
      chars += href.length
      if (marks.length >= linksMax || chars > hrefCharsMax) {
        this.#isCut = true
        places.hrefs.pop()
        break
      }
      marks.push(this.#marks[i]!)
      texts.push(this.#texts[i]!)
    }
    return {
      hrefs: places.hrefs.join('\n'),
      marks: Uint8Array.from(marks),
      texts: this.#hasTexts ? texts.join('\n') : '',
      isCut: this.#isCut,
    }
  }
}

function strongerMark(a: number, b: number): number {
  const isStrongerB = isStronger(b & ~noFollowBit, a & ~noFollowBit)
  return ((isStrongerB ? b : a) & ~noFollowBit) | (a & b & noFollowBit)
}
