// The links of a capture, read from the store: for pages whose links the crawl did not see. Where a browser showed the page, with those
// that its scripts wrote.

import { headersLookedAt } from '../../crawl/links/extract-links.ts'
import { pageLinksOf } from '../../crawl/links/link.ts'
import { findLinks } from '../../crawl/links/link-work.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { linksOfList, type PageLinks } from '../../graph/packed-links.ts'
import { withRendered } from '../../graph/rendered-links.ts'
import { tryParseLink, type Url } from '../../model/url/url.ts'
import type { Capture } from '../../store/capture.ts'
import { ArchivedRenderings } from '../../store/reading/rendered-pages.ts'
import type { Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'

/** What is larger is a file of its own kind, not a page. */
const pageBytesMax = 8 * 1024 * 1024
const pageTypes = /^(?:text\/(?:html|css|xml)|application\/(?:xhtml\+xml|xml|rss\+xml|atom\+xml))/i

/** undefined where it has none, or cannot be read: what others keep, or what is damaged. */
export async function linksOfCapture(
  store: Store,
  capture: Capture,
): Promise<{ readonly links: PageLinks; readonly isRendered: boolean } | undefined> {
  const sent = await linksSent(store, capture)
  const isPage = capture.status >= 200 && capture.status < 300 && pageTypes.test(capture.mime)
  const page = isPage ? tryParseLink(capture.url) : null
  const info =
    page === null ? undefined : await new ArchivedRenderings(store).infoAt(page, capture.capturedAtMs)
  if (info !== undefined) return { links: withRendered(sent, info), isRendered: true }
  return sent && { links: sent, isRendered: false }
}

async function linksSent(store: Store, capture: Capture): Promise<PageLinks | undefined> {
  const { status } = capture
  if (status === 404 || status === 410) return linksOfList([])
  const url = tryParseLink(capture.url)
  const isRedirect = status >= 300 && status < 400 && status !== 304
  const isPage = pageTypes.test(capture.mime) && capture.payloadBytes <= pageBytesMax
  if (url === null || (!isRedirect && !isPage)) return undefined
  try {
    const { head, payload } = await store.read(capture)
    const headers = head && parseHttpHead(head)?.headers
    if (isRedirect) return redirectOf(url, headers?.get('Location'))
    const bytes = Buffer.concat(await Array.fromAsync(payload()))
    const links = await findLinks({
      href: url.href,
      bytes,
      headBytes: 0,
      contentType: headers?.get('Content-Type') ?? capture.mime,
      contentEncoding: headers?.get('Content-Encoding'),
      headers: headers === undefined ? [] : headersLookedAt(headers),
      agent: 'polyhistor',
    })
    return pageLinksOf(links)
  } catch (error) {
    if (error instanceof StoreError) return undefined
    throw error
  }
}

function redirectOf(url: Url, location: string | undefined): PageLinks | undefined {
  const target = location === undefined ? null : tryParseLink(location, url)
  return target === null
    ? undefined
    : linksOfList([{ href: target.href, relation: 'Location header', isNoFollow: false, text: '' }])
}
