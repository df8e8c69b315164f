// Content format: what a body is, as far as links may be in it: by its declared type, and by its first bytes where the
// type says too little or is known to lie.
//
// Bytes that are not text are `none`, whatever they are called, after a look at the first kilobyte.

import { linkingFormatOfType } from '../../formats/markup/linking-types.ts'
import type { Url } from '../../model/url/url.ts'
import { rootElementOf } from './root-element.ts'

/** `xml`: SVG and XML in general. `text`: URLs line by line. */
export type ContentFormat =
  | 'html'
  | 'xhtml'
  | 'xml'
  | 'css'
  | 'script'
  | 'sitemap'
  | 'feed'
  | 'dash'
  | 'hls'
  | 'manifest'
  | 'text'
  | 'none'

const lookBytes = 1_024

function formatOfType(type: string): ContentFormat | undefined {
  if (type === 'text/css') return 'css'
  if (/^(?:application|text)\/(?:x-)?(?:java|ecma)script$/.test(type)) return 'script'
  const format = linkingFormatOfType.get(type)
  return format === 'svg' ? 'xml' : format
}

const formatByRoot = new Map<string, ContentFormat>([
  ['urlset', 'sitemap'],
  ['sitemapindex', 'sitemap'],
  ['rss', 'feed'],
  ['feed', 'feed'],
  ['rdf', 'feed'],
  ['mpd', 'dash'],
])

/** What a page without a type starts with, after the list that browsers use. */
const htmlRoots = new Set(
  'html head script iframe h1 div font table a style title b body br p meta link img form center frameset'.split(
    ' ',
  ),
)

export function formatOf(bytes: Uint8Array, contentType: string | undefined, url: Url): ContentFormat {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, lookBytes)).toString(
    'latin1',
  )
  if (isBinary(start) && !isUtf16(start, contentType)) return 'none'
  const path = url.target.split('?', 1)[0]!.toLowerCase()
  if (type === '' || type === 'application/octet-stream') return formatBySniffing(start, path, type === '')
  const known = formatOfType(type)
  if (known === 'html' || type === 'text/plain')
    return formatOfText(start, known === 'html' ? 'html' : 'text')
  if (known !== undefined) return known
  if (/[/+]xml$/.test(type)) return formatOfXml(start)
  return /[/+]json$/.test(type) && /manifest\.(?:json|webmanifest)$/.test(path) ? 'manifest' : 'none'
}

/** Feeds and sitemaps come as HTML or as plain text too. */
function formatOfText(start: string, otherwise: 'html' | 'text'): ContentFormat {
  const special = specialFormat(start)
  if (special !== undefined || otherwise === 'html') return special ?? 'html'
  return /^(?:\xef\xbb\xbf)?\s*https?:\/\//i.test(start) ? 'text' : 'none'
}

function formatOfXml(start: string): ContentFormat {
  return specialFormat(start) ?? (rootElementOf(start) === 'html' ? 'xhtml' : 'xml')
}

function formatBySniffing(start: string, path: string, mayBeHtml: boolean): ContentFormat {
  const special = specialFormat(start)
  if (special !== undefined) return special
  if (!mayBeHtml) return 'none'
  if (path.endsWith('.css')) return 'css'
  if (/\.m?js$/.test(path)) return 'script'
  if (path.endsWith('.webmanifest')) return 'manifest'
  const root = rootElementOf(start)
  if (root === undefined) return /^\s*<!(?:--|doctype\s+html)/i.test(start) ? 'html' : 'none'
  if (htmlRoots.has(root)) return 'html'
  return root === 'svg' || /^\s*<\?xml/.test(start) ? 'xml' : 'none'
}

function specialFormat(start: string): ContentFormat | undefined {
  if (start.startsWith('#EXTM3U')) return 'hls'
  const root = rootElementOf(start)
  return root === undefined ? undefined : formatByRoot.get(root)
}

/** Control characters that no text has, in a share that no stray ones reach; and PDF, which starts as text. */
function isBinary(start: string): boolean {
  if (start.startsWith('%PDF-')) return true
  const controls = start.match(/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0
  return controls * 32 > start.length
}

function isUtf16(start: string, contentType: string | undefined): boolean {
  return /^(?:\xff\xfe|\xfe\xff)/.test(start) || /charset\s*=\s*"?utf-?16/i.test(contentType ?? '')
}
