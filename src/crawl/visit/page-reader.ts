// Page reader: extracts the links of responses in another thread, and makes their records there, too. Small responses of which
// only the links are needed are read here: that takes less time than handing them over.

import { codingsOf } from '../../formats/content-coding/codings.ts'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import type { FieldList } from '../../formats/http/field-list.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import type { Url } from '../../model/url/url.ts'
import type { Workers } from '../../platform/workers.ts'
import { decodedBytesMax } from '../fetch/limits.ts'
import type { Fetched, FetchedCapture } from '../fetch/outcome.ts'
import { type ExtractedLinks, extractLinks, headersLookedAt } from '../links/extract-links.ts'
import type { CaptureFacts, PageRead, PageWork, ReadyRecords } from './page-work.ts'

/** Up to here finding links alone takes less time than handing it over does. Measured with 64 KiB instead, on two cores and
 * pages of 16 kB: a quarter more of the main thread, the same in all, and its longest delays twice as long. */
const inlineBytesMax = 4 * 1024

export interface PageAddress {
  readonly url: Url
  /** What asked for it. */
  readonly documentHref?: string | undefined
}

interface ResponseRead {
  readonly links: ExtractedLinks
  readonly records: ReadyRecords | undefined
  /** The response again. */
  readonly block: FetchedCapture['block']
}

type Body = Pick<PageWork, 'headBytes' | 'contentEncoding' | 'capture'> & { readonly bytes: Uint8Array }

export class PageReader {
  readonly #workers: Workers<PageWork, PageRead>
  readonly #agent: string
  readonly #isGraphed: boolean

  /** `isGraphed`: links are for the link graph, too. */
  constructor(needs: { workers: Workers<PageWork, PageRead> }, agent: string, { isGraphed = false } = {}) {
    this.#workers = needs.workers
    this.#agent = agent
    this.#isGraphed = isGraphed
  }

  /** `capture`: what is to be kept of it, if its records are wanted. Of what is too large for memory they are not made. The
   * response is handed over, not copied: from now on it is the one that comes back. */
  async read(page: PageAddress, fetched: Fetched, capture?: FetchedCapture): Promise<ResponseRead> {
    const { headers, bodyBytes } = fetched
    const { block } = fetched.capture
    if (!(block instanceof Uint8Array))
      return { links: await this.links(page, headers, fetched.body()), records: undefined, block }
    const { links, records, bytes } = await this.#read(page, headers, {
      bytes: block,
      headBytes: block.length - bodyBytes,
      contentEncoding: headers.get('Content-Encoding'),
      capture: capture && factsOf(capture),
    })
    return { links, records, block: bytes }
  }

  async links(
    page: PageAddress,
    headers: FieldList,
    body: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<ExtractedLinks> {
    const { bytes } = await decodeContent(body, headers.get('Content-Encoding'), decodedBytesMax)
    // A copy, which can be given away: these may be somebody else's, or part of something larger.
    const own = new Uint8Array(bytes)
    const { links } = await this.#read(page, headers, {
      bytes: own,
      headBytes: 0,
      contentEncoding: undefined,
    })
    return links
  }

  async #read({ url, documentHref }: PageAddress, headers: FieldList, body: Body): Promise<PageRead> {
    const page = {
      documentHref,
      contentType: headers.get('Content-Type'),
      headers: headersLookedAt(headers),
      agent: this.#agent,
      isGraphed: this.#isGraphed,
    }
    const { bytes, headBytes, contentEncoding, capture } = body
    const isSmall = bytes.length <= inlineBytesMax && codingsOf(contentEncoding).length === 0
    if (isSmall && capture === undefined) {
      const links = extractLinks({ ...page, url, bytes: bytes.subarray(headBytes) })
      return { links, records: undefined, bytes }
    }
    return this.#workers.run({ ...page, ...body, href: url.href }, [bytes.buffer as ArrayBuffer])
  }
}

function factsOf({ url: _url, block: _block, request, ...facts }: FetchedCapture): CaptureFacts {
  return { ...facts, request: bufferView(request).toString('latin1') }
}
