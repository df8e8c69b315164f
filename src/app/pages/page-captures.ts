// The captures that a page needs to be shown: the page, its frames, and whatever those and their style sheets and scripts refer to,
// from all hosts. Each is the capture that replay would show, the nearest in time to the page.
//
// Bounded in captures, in bytes that are read for links, and in how deep frames and style sheets go. What scripts put
// together when they run is not found: see crawl/links.

import { decodedBytesMax } from '../../crawl/fetch/limits.ts'
import { extractLinks } from '../../crawl/links/extract-links.ts'
import { linksOf } from '../../crawl/links/link.ts'
import { isRequisite } from '../../crawl/links/link-source.ts'
import { PolyhistorError } from '../../errors.ts'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { FieldList } from '../../formats/http/field-list.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { type ArchivedCapture, versionsOf } from '../../model/archive.ts'
import { chooseCapture, isRedirect } from '../../model/capture-choice.ts'
import type { TimeSpan } from '../../model/timestamp.ts'
import { parseUrl, tryParseUrl, type Url } from '../../model/url/url.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { shownPage } from '../../store/reading/shown-page.ts'

type Archive = Pick<ReadableArchive, 'versions' | 'scan' | 'read'>

export interface PageCaptures {
  /** The page itself, where redirects led. */
  readonly page: ArchivedCapture
  /** All, each once. */
  readonly captures: readonly ArchivedCapture[]
}

const capturesMax = 5_000
const readBytesMax = 256 * 1024 * 1024
/** Steps from the page: of frames in frames, style sheets that import, modules that import. */
const depthMax = 12
/** What has no links, or too many bytes to look. */
const linklessType = /^(?:image\/(?!svg)|audio\/|video\/|font\/)/

interface Wanted {
  readonly url: Url
  readonly span: TimeSpan
  readonly depth: number
  /** The page or one of its frames: where it sends everyone counts. */
  readonly isDocument: boolean
  /** The page itself, or where it redirects. */
  readonly isPage: boolean
  readonly documentHref?: string | undefined
}

/** undefined when the page is not in the archive. */
export async function capturesOfPage(
  archive: Archive,
  url: Url,
  span: TimeSpan,
  signal?: AbortSignal,
): Promise<PageCaptures | undefined> {
  return new PageGathering(archive, signal).gather(url, span)
}

class PageGathering {
  readonly #archive: Archive
  readonly #signal: AbortSignal | undefined
  readonly #captures = new Map<string, ArchivedCapture>()
  readonly #seen = new Set<string>()
  #bytes = 0

  constructor(archive: Archive, signal: AbortSignal | undefined) {
    this.#archive = archive
    this.#signal = signal
  }

  async gather(url: Url, span: TimeSpan): Promise<PageCaptures | undefined> {
    let page: ArchivedCapture | undefined
    const queue: Wanted[] = [{ url, span, depth: 0, isDocument: true, isPage: true }]
    for (let wanted = queue.shift(); wanted !== undefined; wanted = queue.shift()) {
      this.#signal?.throwIfAborted()
      if (this.#seen.has(wanted.url.href) || this.#captures.size >= capturesMax) continue
      this.#seen.add(wanted.url.href)
      const capture = await this.#find(wanted)
      if (capture === undefined) continue
      const needed = await this.#neededBy(capture, wanted)
      if (wanted.isPage) {
        page = capture
        needed.push(...(await this.#seenOf(capture, wanted)))
      }
      queue.push(...needed)
    }
    return page && { page, captures: [...this.#captures.values()] }
  }

  /** What a browser saw of the page, and the parts that it asked for then, which no link need name. */
  async #seenOf({ capturedAtMs }: ArchivedCapture, { url }: Wanted): Promise<Wanted[]> {
    const shown = await shownPage(this.#archive, url, capturedAtMs)
    if (shown === undefined) return []
    const wanted = { isDocument: false, isPage: false }
    const beside = [...shown.views, ...shown.answers].map((capture) => {
      const span = { fromMs: capture.capturedAtMs, toMs: capture.capturedAtMs + 1 }
      return { url: parseUrl(capture.url), span, depth: depthMax, ...wanted }
    })
    const span = { fromMs: capturedAtMs, toMs: capturedAtMs + 1 }
    const parts = shown.parts.map((part) => ({
      url: part,
      span,
      depth: 1,
      documentHref: url.href,
      ...wanted,
    }))
    return [...beside, ...parts]
  }

  async #find({ url, span }: Wanted): Promise<ArchivedCapture | undefined> {
    const capture = await chooseCapture(versionsOf(this.#archive), { url, span, policy: 'nearest' })
    if (capture === undefined || this.#captures.has(capture.cursor)) return undefined
    this.#captures.set(capture.cursor, capture)
    return capture
  }

  /** As of the time of the capture that needs it. */
  async #neededBy(capture: ArchivedCapture, wanted: Wanted): Promise<Wanted[]> {
    const { depth, isDocument } = wanted
    if (depth >= depthMax || linklessType.test(capture.mime) || this.#bytes >= readBytesMax) return []
    const url = tryParseUrl(capture.url)
    if (url === null) return []
    const documentHref = isDocument ? capture.url : wanted.documentHref
    const span = { fromMs: capture.capturedAtMs, toMs: capture.capturedAtMs + 1 }
    const isMoved = isRedirect(capture)
    return (await this.#linksOf(capture, url, documentHref)).flatMap((link) => {
      const isFollowed = link.kind === 'redirect' && (isDocument || isMoved)
      if (!isFollowed && !isRequisite(link.kind)) return []
      const isPart = link.kind === 'frame' || (isFollowed && isDocument)
      const isPage = wanted.isPage && isMoved && isFollowed
      const own = link.via === 'script worker' ? link.href : documentHref
      return [{ url: link.url, span, depth: depth + 1, isDocument: isPart, isPage, documentHref: own }]
    })
  }

  async #linksOf(capture: ArchivedCapture, url: Url, documentHref: string | undefined) {
    try {
      const { head, payload } = await this.#archive.read(capture)
      const headers = (head && parseHttpHead(head)?.headers) ?? new FieldList()
      const { bytes } = await decodeContent(payload(), headers.get('Content-Encoding'), decodedBytesMax)
      this.#bytes += bytes.length
      const contentType = headers.get('Content-Type') ?? capture.mime
      return linksOf(extractLinks({ bytes, url, contentType, headers, agent: '', documentHref }))
    } catch (error) {
      // What cannot be read is left out of the file, too, and told there.
      if (error instanceof PolyhistorError) return []
      throw error
    }
  }
}
