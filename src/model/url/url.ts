// Url: an http or https URL as this archive fetches, names and files it.
//
// Parsed as WHATWG says (case and IDNA of the host, default port, dot segments, empty path), and further: the
// fragment goes, for it never reaches the server; userinfo goes, for passwords do not belong in an archive; hex
// digits of percent-encoding are upper case. Nothing else is rewritten: `%7E` and `~` mean the same, but servers
// exist that disagree, and SURT keys join the two anyway.
//
// Invariants: parsing an href gives the same href; the host has a name that DNS can hold, or is an IP literal;
// an href has at most urlCharsMax characters, all ASCII. Other schemes are refused: nothing here can fetch them
// (surtOf in surt.ts still finds their keys).

import { type RingKey, ringKeyOfSite } from '../ring-key.ts'
import { upperCasePercents } from './percent-encoding.ts'
import { type SiteKey, siteOf } from './site.ts'
import { surtOfParts, withoutBrackets } from './surt.ts'
import { absoluteFromTyped } from './typed-url.ts'
import { quoteUrl, UrlError } from './url-error.ts'

export { UrlError, type UrlErrorCode } from './url-error.ts'

/** What other tools archive. */
export const urlCharsMax = 65_536

/** Of what is fetched: what servers and proxies commonly take. Longer ones are traps more often than pages. */
export const linkCharsMax = 8_192

/** Checked before parsing, so that a hostile page cannot make us work on megabytes. */
const inputCharsMax = 2 * urlCharsMax

const hostCharsMax = 253
const labelCharsMax = 63

type UrlScheme = 'http' | 'https'

/** Made by parseUrl and urlFromTyped only. */
export class Url {
  readonly href: string
  readonly scheme: UrlScheme
  /** Lower case, in Punycode, without port and trailing dot; IPv6 literals with brackets. */
  readonly host: string
  /** Host and port as the href has them: what the Host header says and robots.txt is valid for. */
  readonly authority: string
  #surt: string | undefined
  #site: SiteKey | undefined
  #ringKey: RingKey | undefined

  constructor(href: string, scheme: UrlScheme, host: string, authority: string) {
    this.href = href
    this.scheme = scheme
    this.host = host
    this.authority = authority
  }

  /** The port to connect to. */
  get port(): number {
    const written = this.#writtenPort()
    if (written !== '') return Number(written)
    return this.scheme === 'http' ? 80 : 443
  }

  get origin(): string {
    return `${this.scheme}://${this.authority}`
  }

  /** The request target: path and query. */
  get target(): string {
    return this.href.slice(this.scheme.length + 3 + this.authority.length)
  }

  get surt(): string {
    return (this.#surt ??= this.#makeSurt())
  }

  get site(): SiteKey {
    return (this.#site ??= siteOf(this.host))
  }

  get ringKey(): RingKey {
    return (this.#ringKey ??= ringKeyOfSite(this.site))
  }

  toString(): string {
    return this.href
  }

  toJSON(): string {
    return this.href
  }

  #makeSurt(): string {
    const target = this.target
    const question = target.indexOf('?')
    return surtOfParts({
      host: withoutBrackets(this.host),
      port: this.#writtenPort(),
      path: question === -1 ? target : target.slice(0, question),
      query: question === -1 ? '' : target.slice(question + 1),
    })
  }

  #writtenPort(): string {
    const colon = this.authority.lastIndexOf(':')
    return colon === -1 || this.authority.endsWith(']') ? '' : this.authority.slice(colon + 1)
  }
}

/** An absolute URL, or one relative to a base, as found in a page. Throws UrlError. */
export function parseUrl(input: string, base?: Url | string): Url {
  if (input.length > inputCharsMax) throw tooLong(input)
  const parsed = URL.parse(input, typeof base === 'object' ? base.href : base)
  if (parsed === null) throw explainRefusal(input, base)
  const { protocol } = parsed
  if (protocol !== 'http:' && protocol !== 'https:') throw unsupportedScheme(input, protocol)
  const authority = parsed.host
  const host = checkedHost(parsed.hostname, input)
  const href = normalHref(parsed, authority)
  if (href.length > urlCharsMax) throw tooLong(input)
  return new Url(href, protocol === 'http:' ? 'http' : 'https', host, authority)
}

/** As parseUrl, for what is to be fetched because somebody else wrote it. Throws UrlError. */
export function parseLink(input: string, base?: Url | string): Url {
  const url = parseUrl(input, base)
  if (url.href.length > linkCharsMax) throw tooLong(input, linkCharsMax)
  return url
}

/** A URL as a person types it: `example.com/a` and `localhost:8080` mean http. Throws UrlError. */
export function urlFromTyped(typed: string): Url {
  if (typed.length > inputCharsMax) throw tooLong(typed)
  return parseUrl(absoluteFromTyped(typed))
}

/** For the many links of a page, where a bad one is no news: null instead of an error. */
export function tryParseUrl(input: string, base?: Url | string): Url | null {
  return orNull(() => parseUrl(input, base))
}

/** The same of what is to be fetched. */
export function tryParseLink(input: string, base?: Url | string): Url | null {
  return orNull(() => parseLink(input, base))
}

function orNull(parse: () => Url): Url | null {
  try {
    return parse()
  } catch (error) {
    if (error instanceof UrlError) return null
    throw error
  }
}

function normalHref(parsed: URL, authority: string): string {
  const { href } = parsed
  // Most URLs have neither userinfo nor fragment, and looking costs less than taking the href apart.
  if (!href.includes('#') && !href.includes('@')) return upperCasePercents(href)
  // The first slash after `//` starts the path: userinfo has its slashes encoded.
  const path = href.indexOf('/', parsed.protocol.length + 2)
  const fragment = href.indexOf('#')
  const target = href.slice(path, fragment === -1 ? href.length : fragment)
  return upperCasePercents(`${parsed.protocol}//${authority}${target}`)
}

function checkedHost(hostname: string, input: string): string {
  if (hostname.startsWith('[')) return hostname
  const host = hostname.endsWith('.') ? hostname.replace(/(?<!\.)\.+$/, '') : hostname
  if (host === '' || host.startsWith('.') || host.includes('..')) {
    throw badHost(input, 'its host has an empty label')
  }
  // WHATWG lets through `*`, `,`, `'` and more, which no host has and which would make SURT keys ambiguous.
  if (!/^[a-z0-9._-]+$/.test(host)) throw badHost(input, `no host is called "${host.slice(0, hostCharsMax)}"`)
  if (host.length > labelCharsMax) checkLengths(host, input)
  return host
}

function checkLengths(host: string, input: string): void {
  if (host.length > hostCharsMax) throw badHost(input, `its host has more than ${hostCharsMax} characters`)
  if (host.split('.').some((label) => label.length > labelCharsMax)) {
    throw badHost(input, `a label of its host has more than ${labelCharsMax} characters`)
  }
}

function explainRefusal(input: string, base: Url | string | undefined): UrlError {
  if (input.trim() === '' && base === undefined) return new UrlError('url-empty', 'The URL is empty')
  if (typeof base === 'string' && !URL.canParse(base)) {
    return new UrlError('url-malformed', `The base ${quoteUrl(base)} is no URL`)
  }
  if (base === undefined && !/^\s*[a-z][a-z0-9+.-]*:/i.test(input)) {
    return new UrlError(
      'url-malformed',
      `${quoteUrl(input)} is no absolute URL: it lacks http:// or https://`,
    )
  }
  return new UrlError('url-malformed', `${quoteUrl(input)} is no URL: its host or port is not valid`)
}

function unsupportedScheme(input: string, protocol: string): UrlError {
  const message = `${quoteUrl(input)} has the scheme ${quoteUrl(protocol)}: only http and https can be archived`
  return new UrlError('url-unsupported-scheme', message)
}

function badHost(input: string, why: string): UrlError {
  return new UrlError('url-bad-host', `${quoteUrl(input)} cannot be fetched: ${why}`)
}

function tooLong(input: string, charsMax = urlCharsMax): UrlError {
  return new UrlError('url-too-long', `${quoteUrl(input)} has more than ${charsMax} characters`)
}
