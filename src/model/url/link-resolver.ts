// Link resolver: from what a page says to the href of a Url, or null where it is none that can be fetched.
//
// Invariant: resolve gives what tryParseUrl gives, only sooner. Most links are made of characters that parsing leaves
// as they are; those are put together as strings. A property holds the two ways against each other.

import { linkCharsMax, tryParseLink, tryParseUrl, type Url } from './url.ts'

/** Left alone by URL parsing, in paths and in queries. */
const plainPattern = /^[A-Za-z0-9\-._~!$&()*+,;=:@/?]*$/
const absolutePattern = /^https?:\/\/[a-z0-9.-]+(?::[0-9]+)?(?=\/)/
const schemePattern = /^[a-z][a-z0-9+.-]*:/i
const originsMax = 4_096
const slash = 0x2f

/** Scheme and authority as pages write them, and whether parsing leaves them as they are. Pages of a crawl name the same few
 * again and again. */
const isPlainByOrigin = new Map<string, boolean>()

export class LinkResolver {
  readonly #base: Url
  readonly #directory: string

  constructor(base: Url) {
    this.#base = base
    const question = base.href.indexOf('?')
    this.#directory = base.href.slice(
      0,
      base.href.lastIndexOf('/', question === -1 ? Infinity : question) + 1,
    )
  }

  resolve(written: string): string | null {
    const fragment = written.indexOf('#')
    const link = fragment === -1 ? written : written.slice(0, fragment)
    // With its fragment: white space before one is part of the path, at the end of a link it is not.
    return this.#resolvePlain(link) ?? this.#resolveAny(written)
  }

  #resolvePlain(link: string): string | null {
    if (link === '' || link.length > linkCharsMax / 2 || !plainPattern.test(link)) return null
    if (link.charCodeAt(0) === slash) {
      return link.charCodeAt(1) === slash || link.includes('/.')
        ? null
        : this.#within(this.#base.origin, link)
    }
    // Absolute, or with a scheme, or starting with a dot or a question mark.
    if (!/^[A-Za-z0-9_~-]+(?:[./?]|$)/.test(link)) return this.#resolvePlainAbsolute(link)
    return link.includes('/.') || link.includes(':') ? null : this.#within(this.#directory, link)
  }

  #resolvePlainAbsolute(link: string): string | null {
    const origin = absolutePattern.exec(link)?.[0]
    if (origin === undefined || link.includes('/.', origin.length)) return null
    return this.#isPlainOrigin(origin) ? link : null
  }

  #within(start: string, rest: string): string | null {
    return start.length + rest.length > linkCharsMax ? null : start + rest
  }

  #isPlainOrigin(origin: string): boolean {
    const known = isPlainByOrigin.get(origin)
    if (known !== undefined) return known
    const isPlain = tryParseUrl(`${origin}/`)?.href === `${origin}/`
    if (isPlainByOrigin.size >= originsMax) isPlainByOrigin.clear()
    isPlainByOrigin.set(origin, isPlain)
    return isPlain
  }

  #resolveAny(link: string): string | null {
    // Pages are full of `mailto:` and `javascript:`, and refusing them by an error costs more than by a look.
    const scheme = schemePattern.exec(link)?.[0].toLowerCase()
    if (scheme !== undefined && scheme !== 'http:' && scheme !== 'https:') return null
    return tryParseLink(link, this.#base)?.href ?? null
  }
}
