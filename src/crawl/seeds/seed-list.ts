// Seed list: the URLs that a file names for a crawl to start from, in whatever form people have them.
//
//   lines      one URL a line, # begins a comment; http:// may be left out
//   sitemap    also the text form; an index names further sitemaps, which the caller may fetch
//   feed       RSS, Atom, RDF: the pages of its entries
//   opml       what an outline of feeds names: their sites, and the feeds where there is none
//   bookmarks  Netscape bookmarks files, which all browsers export
//   json       bookmarks of Chrome and of Firefox, JSON Feed, or a list of URLs
//
// Told apart by content, not by name: people rename files. Gzip is undone.
// Strangers wrote it: all is bounded, entities of XML are never expanded, and a file that is none of these is refused with a word.

import { gunzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { PolyhistorError } from '../../errors.ts'
import { decodeText } from '../../formats/markup/charset.ts'
import { tryParseLink, urlFromTyped } from '../../model/url/url.ts'
import { rootElementOf } from '../links/root-element.ts'
import { urlsInJson } from './json-seeds.ts'

export class SeedsMalformed extends PolyhistorError {
  constructor(message: string) {
    super('seeds-malformed', message)
  }
}

/** As a job may have. */
export const seedsMax = 100_000
export const seedFileBytesMax = 64 * 1024 * 1024
const sitemapsMax = 1_000
const depthMax = 1_000

export interface SeedList {
  readonly format: 'lines' | 'sitemap' | 'sitemap index' | 'feed' | 'opml' | 'bookmarks' | 'json'
  /** Each once, in order. */
  readonly urls: readonly string[]
  /** Further sitemaps, of an index. */
  readonly sitemaps: readonly string[]
  /** What could not be taken: no web addresses, or beyond what a job may have. */
  readonly skipped: number
}

/** Throws SeedsMalformed. `base`: where it came from, for addresses that are relative to that. */
export function readSeedList(bytes: Uint8Array, base?: string): SeedList {
  const text = textOf(bytes)
  const start = text.trimStart()
  if (start === '') throw new SeedsMalformed('The file of seeds is empty.')
  if (/^(?:WARC\/\d|filedesc:|PK)/.test(start))
    throw new SeedsMalformed('The file of seeds is an archive: it is taken in by `polyhistor import`.')
  if (text.includes('\0')) throw new SeedsMalformed(unknownForm)
  if (start.startsWith('{') || start.startsWith('[')) return collected('json', jsonUrls(start), base)
  if (!start.startsWith('<')) return collected('lines', lineUrls(text), base)
  if (/^<!doctype netscape-bookmark-file/i.test(start)) return collected('bookmarks', anchorUrls(text), base)
  return markupSeeds(start, base)
}

function markupSeeds(text: string, base: string | undefined): SeedList {
  switch (rootElementOf(text)) {
    case 'urlset':
      return collected('sitemap', elementUrls(text, ['loc']), base)
    case 'sitemapindex': {
      const { urls, skipped } = collected('sitemap index', elementUrls(text, ['loc']), base)
      const sitemaps = urls.slice(0, sitemapsMax)
      return { format: 'sitemap index', urls: [], sitemaps, skipped: skipped + urls.length - sitemaps.length }
    }
    case 'rss':
    case 'rdf':
    case 'feed':
      return collected('feed', entryUrls(text), base)
    case 'opml':
      return collected('opml', outlineUrls(text), base)
    default:
      throw new SeedsMalformed(unknownForm)
  }
}

const unknownForm =
  'The file of seeds is none that is known: lines of URLs, a sitemap, a feed, OPML, a bookmarks file or JSON.'

function textOf(bytes: Uint8Array): string {
  if (bytes.length > seedFileBytesMax) throw tooLarge()
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const plain = isGzip ? gunzipSync(bytes, { maxOutputLength: seedFileBytesMax }) : bytes
    return decodeText(plain, '', 'xml').text.replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    if (code?.startsWith('Z_') || code?.startsWith('ERR_'))
      throw new SeedsMalformed('The file of seeds is a damaged gzip file.')
    throw error
  }
}

function tooLarge(): SeedsMalformed {
  return new SeedsMalformed(`The file of seeds is too large: at most ${seedFileBytesMax >> 20} MiB are read.`)
}

/** Each once; relative ones are resolved. Lines may be typed without a scheme, and one that is no URL is an error that names it. */
function collected(format: SeedList['format'], found: Iterable<string>, base: string | undefined): SeedList {
  const urls = new Set<string>()
  let skipped = 0
  for (const text of found) {
    const href = format === 'lines' ? typedHref(text) : tryParseLink(text.trim(), base)?.href
    if (href === undefined || (urls.size >= seedsMax && !urls.has(href))) skipped++
    else urls.add(href)
  }
  return { format, urls: [...urls], sitemaps: [], skipped }
}

/** Throws UrlError, which quotes the line. */
function typedHref(line: string): string {
  return urlFromTyped(line).href
}

function* lineUrls(text: string): Generator<string> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) if (!/^\s*(#|$)/.test(line)) yield line
}

function jsonUrls(text: string): Iterable<string> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SeedsMalformed(`The file of seeds begins like JSON, and is none: ${(error as Error).message}`)
  }
  return urlsInJson(value)
}

/** Walks markup, in one pass, and gives what `seen` finds in an element when it ends. */
function walked(
  text: string,
  seen: (element: OpenElement, parents: readonly OpenElement[]) => string | undefined,
  options: { xmlMode: boolean },
): string[] {
  const found: string[] = []
  const open: OpenElement[] = []
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        // The parser takes longer for each, the deeper it is.
        if (open.length >= depthMax) throw new SeedsMalformed('The file of seeds is nested too deep.')
        open.push({ name: localName(name), attributes, text: '' })
      },
      ontext: (more) => {
        const last = open.at(-1)
        if (last !== undefined && last.text.length < textCharsMax) last.text += more
      },
      onclosetag: (name) => {
        if (open.at(-1)?.name !== localName(name)) return
        const url = seen(open.pop()!, open)
        if (url !== undefined && url.trim() !== '') found.push(url)
      },
    },
    { ...options, decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  parser.write(text)
  parser.end()
  return found
}

const textCharsMax = 64 * 1024

interface OpenElement {
  readonly name: string
  readonly attributes: Record<string, string>
  text: string
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase()
}

function elementUrls(text: string, names: readonly string[]): string[] {
  const isPage = ({ name }: OpenElement, parents: readonly OpenElement[]): boolean =>
    names.includes(name) && ['url', 'sitemap'].includes(parents.at(-1)?.name ?? '')
  return walked(text, (element, parents) => (isPage(element, parents) ? element.text : undefined), {
    xmlMode: true,
  })
}

/** Of entries only: what a feed says of itself is not what it tells of. */
function entryUrls(text: string): string[] {
  const isInEntry = (parents: readonly OpenElement[]): boolean =>
    ['item', 'entry'].includes(parents.at(-1)?.name ?? '')
  return walked(
    text,
    ({ name, attributes, text: own }, parents) => {
      if (name !== 'link' || !isInEntry(parents)) return undefined
      if (attributes.href === undefined) return own
      return (attributes.rel ?? 'alternate') === 'alternate' ? attributes.href : undefined
    },
    { xmlMode: true },
  )
}

function outlineUrls(text: string): string[] {
  return walked(
    text,
    ({ name, attributes }) => {
      if (name !== 'outline') return undefined
      return attributes.htmlurl || attributes.url || attributes.xmlurl
    },
    { xmlMode: true },
  )
}

function anchorUrls(text: string): string[] {
  return walked(text, ({ name, attributes }) => (name === 'a' ? attributes.href : undefined), {
    xmlMode: false,
  })
}
