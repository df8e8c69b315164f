// Shorthand for the tests of this folder: what is found in a body, as `via → href`.

import { parseUrl } from '../../model/url.ts'
import { type ExtractedLinks, extractLinks, headersLookedAt } from './extract-links.ts'
import type { Header } from './header-links.ts'
import { type Link, linksOf } from './link.ts'

export const pageHref = 'http://example.com/dir/page.html'

interface Extraction {
  readonly body: string | Uint8Array
  readonly type?: string | undefined
  readonly href?: string
  readonly headers?: readonly Header[]
  readonly documentHref?: string
}

export function extract({
  body,
  type,
  href = pageHref,
  headers = [],
  documentHref,
}: Extraction): ExtractedLinks {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return extractLinks({
    bytes,
    url: parseUrl(href),
    contentType: type,
    headers: headersLookedAt(headers),
    agent: 'me',
    documentHref,
  })
}

export function linksIn(extraction: Extraction): Link[] {
  return linksOf(extract(extraction))
}

/** `a href → /dir/x`, those of example.com without scheme and host. */
export function foundIn(extraction: Extraction): string[] {
  return linksIn(extraction).map(({ via, href }) => `${via} → ${href.replace('http://example.com/', '/')}`)
}

export function foundInHtml(body: string): string[] {
  return foundIn({ body, type: 'text/html' })
}
