// Extracts the links of a response: from its headers, and from its body by what that is.
//
// Pure, total and bounded: any bytes end in a result, in time linear in them, with at most linksMax links. Made for
// worker threads: the result is plain data, a string and a byte per link, and linksOf makes objects of it on the side
// that needs them. Non-ASCII characters in queries are encoded as UTF-8 whatever the page's charset, unlike in
// browsers: the platform has no encoders for other charsets.

import { type Declaration, decodeText } from '../../formats/markup/charset.ts'
import { tryParseLink, tryParseUrl, type Url } from '../../model/url/url.ts'
import { parseDirectives, type RobotsDirectives, strictest } from '../robots/robots-directives.ts'
import { type ContentFormat, formatOf } from './content-format.ts'
import { scanCss } from './css-links.ts'
import { unwrappedGzip } from './gzip-body.ts'
import { collectHeaderLinks, type Header } from './header-links.ts'
import { HtmlLinks } from './html/html-links.ts'
import { collectPlaylistLinks, collectTextLinks } from './line-links.ts'
import { type CollectedLinks, LinkCollector } from './link-collector.ts'
import { collectManifestLinks } from './manifest-links.ts'
import { isWorkerScript, scanScript } from './script-links.ts'
import { XmlLinks } from './xml-links.ts'
import { xmlRules } from './xml-rules.ts'

/** What lies beyond is not looked at. */
const linkBytesMax = 64 * 1024 * 1024

const lookedAt: readonly string[] = ['location', 'refresh', 'link', 'x-robots-tag']

/** Those of a response that extraction looks at: the others need not be handed to another thread. */
export function headersLookedAt(headers: Iterable<Header>): Header[] {
  const found: Header[] = []
  for (const header of headers) if (lookedAt.includes(header[0].toLowerCase())) found.push(header)
  return found
}

interface LinkInput {
  /** The body after content-decoding. */
  readonly bytes: Uint8Array
  /** Of the response: after redirects, before any base element. */
  readonly url: Url
  readonly contentType: string | undefined
  readonly headers: Iterable<Header>
  /** Our product token, by which pages may address directives to us. */
  readonly agent: string
  /** Where the document was found that asked for this: a script's requests are relative to that. */
  readonly documentHref?: string | undefined
}

/** Structured cloning takes it as it is. `hrefs`: '' when there are none, see linksOf. */
export interface ExtractedLinks extends CollectedLinks {
  /** What relative links were resolved against. */
  readonly baseHref: string
  readonly format: ContentFormat
  readonly isHtml: boolean
  /** undefined when the body was not read as text. */
  readonly charset: string | undefined
  readonly title: string | undefined
  /** Of X-Robots-Tag headers and meta elements together. */
  readonly robots: RobotsDirectives
  /** Of a script: what its requests are relative to, and so those of the scripts that it imports. */
  readonly documentHref?: string | undefined
  /** Under which keys the link graph finds their targets, where the page is new to it: see target-key.ts. */
  readonly targets?: Uint32Array | undefined
}

export function extractLinks(input: LinkInput): ExtractedLinks {
  const { url, agent } = input
  const headers = [...input.headers]
  const links = new LinkCollector()
  collectHeaderLinks(headers, url, links)
  const body = readBody(input, links)
  const base = (body.baseHref === undefined ? null : tryParseUrl(body.baseHref, url)) ?? url
  const { hrefs, marks, texts, isCut } = links.resolve(url, base)
  const tags = headers.filter(([name]) => name.toLowerCase() === 'x-robots-tag').map(([, value]) => value)
  const robots = parseDirectives(tags, agent)
  return {
    hrefs,
    marks,
    texts,
    baseHref: base.href,
    format: body.format,
    isHtml: body.format === 'html' || body.format === 'xhtml',
    charset: body.charset,
    title: body.title,
    robots: body.robots === undefined ? robots : strictest(robots, body.robots),
    isCut: isCut || body.isCut,
    documentHref: body.documentHref,
  }
}

interface ReadBody {
  readonly format: ContentFormat
  readonly isCut: boolean
  readonly charset?: string
  readonly title?: string | undefined
  readonly baseHref?: string | undefined
  readonly robots?: RobotsDirectives
  readonly documentHref?: string
}

function readBody(input: LinkInput, links: LinkCollector): ReadBody {
  const { url, contentType, agent } = input
  const body = unwrappedGzip(input.bytes, url)
  const isCut = body.isCut || body.bytes.length > linkBytesMax
  const bytes = isCut ? body.bytes.subarray(0, linkBytesMax) : body.bytes
  const format = formatOf(bytes, body.isUnwrapped ? undefined : contentType, url)
  if (format === 'none') return { format, isCut }
  const { text, charset } = decodeText(bytes, contentType, declarationOf(format))
  switch (format) {
    case 'html':
    case 'xhtml':
    case 'xml': {
      const page = new HtmlLinks(text, format, links, agent)
      page.read()
      return { format, isCut, charset, title: page.title, baseHref: page.baseHref, robots: page.robots }
    }
    case 'sitemap':
    case 'feed':
    case 'dash':
      new XmlLinks(text, xmlRules[format], links).read()
      break
    case 'css':
      scanCss(text, (found, source) => links.add(found, source))
      break
    case 'script':
      return { format, isCut, charset, documentHref: collectScriptLinks(text, input, links) }
    case 'manifest':
      collectManifestLinks(text, links)
      break
    case 'hls':
      collectPlaylistLinks(text, links)
      break
    case 'text':
      collectTextLinks(text, links)
  }
  return { format, isCut, charset }
}

/** Gives the document. */
function collectScriptLinks(text: string, { url, documentHref }: LinkInput, links: LinkCollector): string {
  const isOwn = documentHref === undefined || isWorkerScript(text)
  const document = (isOwn ? null : tryParseUrl(documentHref)) ?? url
  scanScript(text, (written, source, base) => {
    const found = base === 'script' ? written : tryParseLink(written, document)?.href
    if (found !== undefined) links.add(found, source)
  })
  return document.href
}

function declarationOf(format: ContentFormat): Declaration {
  if (format === 'html' || format === 'xhtml') return 'html'
  if (format === 'css') return 'css'
  return format === 'xml' || format === 'sitemap' || format === 'feed' || format === 'dash' ? 'xml' : 'none'
}
