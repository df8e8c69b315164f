// The links of a response: content-decoded, then extracted, here when that is quick and in another thread when it is not.

import type { FieldList } from '../../record/field-list.ts'
import type { Url } from '../../record/url.ts'
import type { Workers } from '../../world/workers.ts'
import { codingsOf, decodeContent } from '../fetch/content-decoding.ts'
import { decodedBytesMax } from '../fetch/limits.ts'
import { type ExtractedLinks, extractLinks, headersLookedAt } from '../links/extract-links.ts'
import type { LinkWork } from '../links/link-work.ts'

/** Up to here extraction takes less time than handing it over does. Measured with 64 KiB instead, on two cores and pages
 * of 16 kB: a quarter more of the main thread, the same in all, and its longest delays twice as long. */
const inlineBytesMax = 4 * 1024

export class LinkFinding {
  readonly #workers: Workers<LinkWork, ExtractedLinks>
  readonly #agent: string

  constructor(needs: { workers: Workers<LinkWork, ExtractedLinks> }, agent: string) {
    this.#workers = needs.workers
    this.#agent = agent
  }

  async find(
    url: Url,
    headers: FieldList,
    body: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<ExtractedLinks> {
    const encoding = headers.get('Content-Encoding')
    const contentType = headers.get('Content-Type')
    const isPlain = body instanceof Uint8Array && codingsOf(encoding).length === 0
    const bytes = isPlain ? body : (await decodeContent(body, encoding, decodedBytesMax)).bytes
    const input = { bytes, contentType, headers: headersLookedAt(headers), agent: this.#agent }
    if (bytes.length <= inlineBytesMax) return extractLinks({ ...input, url })
    // A copy of our own, which can be given away: the bytes may be part of something larger.
    const own = new Uint8Array(bytes)
    return this.#workers.run({ ...input, bytes: own, href: url.href }, [own.buffer])
  }
}
