// Link rewriter: a URL as a page writes it → the address in the archive that stands for it, at the page's time.
//
// Most links are only given a prefix, as they are written: character references, odd bytes and upper case stay for the
// browser to understand as it would have. Only what needs resolving (`../`, tabs, backslashes) is parsed. Addresses of
// this archive stay as they are, so that rewriting twice does no harm.

import type { PartModifier } from '../replay-address.ts'

/** Longer ones are data. */
const linkCharsMax = 64 * 1024

const schemePattern = /^[a-z][a-z0-9+.-]*:/i
const needsParsing = /\\|[\t\n\r]|(?:^|\/)\.{1,2}(?:[/?#]|$)|%2e/i
const ownPath = /^\/web\/[0-9]*[a-z]{2,4}_\//

export class LinkRewriter {
  readonly #timestamp: string
  readonly #replayOrigin: string
  #base: string
  #origin = ''
  #scheme = ''
  #folder = ''
  #page = ''

  /** `base` is an absolute URL without a fragment. */
  constructor(timestamp: string, base: string, replayOrigin: string) {
    this.#timestamp = timestamp
    this.#replayOrigin = replayOrigin
    this.#base = base
    this.setBase(base)
  }

  get base(): string {
    return this.#base
  }

  get timestamp(): string {
    return this.#timestamp
  }

  get replayOrigin(): string {
    return this.#replayOrigin
  }

  /** What relative links are relative to from now on; what cannot be a base is ignored. */
  setBase(base: string): void {
    const parsed = URL.parse(base)
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return
    this.#base = base
    this.#scheme = parsed.protocol
    this.#origin = parsed.origin
    const page = parsed.origin + parsed.pathname
    this.#page = page
    this.#folder = page.slice(0, page.lastIndexOf('/') + 1)
  }

  /** undefined where the link is to stay as it is. */
  rewrite(written: string, modifier: PartModifier): string | undefined {
    const link = trimmed(written)
    if (link === '' || link.length > linkCharsMax) return undefined
    const first = link.charCodeAt(0)
    if (first === 0x23 || (first === 0x2f && ownPath.test(link))) return undefined
    if (needsParsing.test(link)) return this.#parsed(link, modifier)
    if (first === 0x2f) return this.#rooted(link, modifier)
    if (first === 0x3f) return this.#absolute(this.#page + link, modifier)
    const scheme = schemePattern.exec(link)
    if (scheme === null) return this.#absolute(this.#folder + link, modifier)
    if (!/^https?:/i.test(link)) return undefined
    if (!/^https?:\/\//i.test(link)) return this.#parsed(link, modifier)
    return this.#isOwn(link) ? undefined : this.#absolute(link, modifier)
  }

  #rooted(link: string, modifier: PartModifier): string | undefined {
    if (link.charCodeAt(1) === 0x2f) {
      const absolute = this.#scheme + link
      return this.#isOwn(absolute) ? undefined : this.#absolute(absolute, modifier)
    }
    return this.#absolute(this.#origin + link, modifier)
  }

  #parsed(link: string, modifier: PartModifier): string | undefined {
    const parsed = URL.parse(link, this.#base)
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined
    return this.#isOwn(parsed.href) ? undefined : this.#absolute(parsed.href, modifier)
  }

  #isOwn(absolute: string): boolean {
    return absolute.startsWith(this.#replayOrigin) && absolute.startsWith('/web/', this.#replayOrigin.length)
  }

  #absolute(url: string, modifier: PartModifier): string {
    return `/web/${this.#timestamp}${modifier}/${url}`
  }
}

function trimmed(link: string): string {
  let start = 0
  let end = link.length
  while (start < end && link.charCodeAt(start) <= 0x20) start += 1
  while (end > start && link.charCodeAt(end - 1) <= 0x20) end -= 1
  return start === 0 && end === link.length ? link : link.slice(start, end)
}
