// A visit: one URL is fetched, kept and read for links. Says what happened; decides nothing about when or what next.
//
// Everything that a server or a page can do ends in an outcome. What rejects is our own trouble: the disk, the index, an
// abort; the URL then stays queued.

import type { Field, FieldList } from '../../formats/http/field-list.ts'
import { parseHttpHead, parseStatusLine } from '../../formats/http/http-message.ts'
import type { Url } from '../../model/url.ts'
import type { AddressRule, WebLimits } from '../../platform/web.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { Fetched, FetchedCapture, FetchFailure } from '../fetch/outcome.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { type Link, linksOf } from '../links/link.ts'
import { isRequisite } from '../links/link-source.ts'
import { noDirectives, parseDirectives, type RobotsDirectives } from '../robots/robots-directives.ts'
import type { Archive, KeptAs, LastVersion, UntilOthers } from './archive.ts'
import type { PageAddress, PageReader } from './page-reader.ts'
import type { ReadyRecords } from './page-work.ts'

interface VisitOptions {
  readonly userAgent: string
  /** Honour `noarchive` and `nofollow` of pages. */
  readonly obeysDirectives: boolean
}

export interface VisitRequest {
  readonly url: Url
  /** For the metadata record: where it was found, how deep. */
  readonly about: readonly Field[]
  /** What asked for it: the requests of a script are relative to that. */
  readonly documentHref?: string | undefined
  /** Asked for every address at the moment of connecting. */
  readonly allow: AddressRule
  /** Which responses are kept. */
  readonly types: { keeps(mediaType: string): boolean }
  /** Told when the response has come, before it is read and kept. */
  readonly whenAnswered?: ((fetched: Fetched) => void) | undefined
  /** Told of what is waited for that others do. */
  readonly untilOthers?: UntilOthers | undefined
  /** Sent beside the crawler's own. */
  readonly headers?: readonly Field[] | undefined
  readonly limits?: WebLimits | undefined
  /** Gets the response once it is kept, or found to be not for keeping, as long as its body can be read. */
  readonly deliver?: ((response: VisitResponse) => Promise<void>) | undefined
}

/** A response as its reader gets it: of a page that has not changed, the version that we have. */
export interface VisitResponse {
  readonly status: number
  readonly headers: FieldList
  /** Before content-decoding. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  readonly bodyBytes: number | undefined
  readonly isKept: boolean
}

export interface Visited {
  readonly kind: 'visited'
  readonly fetched: Fetched
  /** `not-kept`: the page or the options forbid it; `missed` says which. */
  readonly kept: KeptAs | 'not-kept'
  readonly isKnownPayload: boolean
  /** Why it was not kept. */
  readonly missed: MissedReason | undefined
  readonly links: readonly Link[]
  /** False when the page asks that nothing of it be followed. */
  readonly isFollowed: boolean
}

interface Needs {
  fetcher: Fetcher
  archive: Archive
  reading: PageReader
}

export class PageVisitor {
  readonly #needs: Needs
  readonly #options: VisitOptions

  constructor(needs: Needs, options: VisitOptions) {
    this.#needs = needs
    this.#options = options
  }

  async visit(request: VisitRequest, signal?: AbortSignal): Promise<Visited | FetchFailure> {
    const { url, allow, headers, limits } = request
    const last = await this.#needs.archive.lastVersion(url)
    const { validators } = last ?? {}
    const fetched = await this.#needs.fetcher.fetch(url, { validators, allow, headers, limits, signal })
    if (fetched.kind === 'failed') return fetched
    request.whenAnswered?.(fetched)
    try {
      return await this.#take(request, fetched, last)
    } finally {
      await fetched.discard()
    }
  }

  async #take(
    { url, about, types, untilOthers, documentHref, deliver }: VisitRequest,
    fetched: Fetched,
    last: LastVersion | undefined,
  ): Promise<Visited> {
    const notModified = fetched.kind === 'not-modified' ? last : undefined
    const capture = { ...fetched.capture, metadata: [...about, ...fetched.capture.metadata] }
    // Of a URL that has a version already, less than the whole may be enough to keep.
    const first = last === undefined ? capture : undefined
    const { links, robots, records, block } = await this.#read(
      { url, documentHref },
      fetched,
      notModified,
      first,
    )
    const missed = this.#refusal(fetched, robots, types)
    const kept =
      missed === undefined
        ? await this.#needs.archive.keep(
            { ...capture, block, notModified, records },
            last ?? 'none',
            untilOthers,
          )
        : undefined
    if (deliver !== undefined) {
      const response = notModified ? await this.stored(notModified) : responseOf(fetched, block)
      await deliver({ ...response, isKept: kept !== undefined && kept.as !== 'hidden' })
    }
    return {
      kind: 'visited',
      fetched,
      kept: kept?.as ?? 'not-kept',
      isKnownPayload: kept?.isKnownPayload ?? false,
      missed,
      links,
      isFollowed: !robots.noFollow,
    }
  }

  /** A version that we have, as it came. */
  async stored(version: LastVersion): Promise<Omit<VisitResponse, 'isKept'>> {
    const { head, payload } = await this.#needs.archive.read(version)
    const parsed = parseHttpHead(head)!
    const status = parseStatusLine(parsed.startLine)?.status ?? 200
    return { status, headers: parsed.headers, body: payload, bodyBytes: undefined }
  }

  /** Links and directives; of a page that has not changed, those of the version that we have. */
  async #read(
    page: PageAddress,
    fetched: Fetched,
    notModified: LastVersion | undefined,
    first: FetchedCapture | undefined,
  ): Promise<{
    links: readonly Link[]
    robots: RobotsDirectives
    records: ReadyRecords | undefined
    block: FetchedCapture['block']
  }> {
    const { obeysDirectives, userAgent } = this.#options
    const unread = { records: undefined, block: fetched.capture.block }
    if (!isPage(fetched) && notModified === undefined) {
      const tags = obeysDirectives ? fetched.headers.getAll('X-Robots-Tag') : []
      return { links: [], robots: parseDirectives(tags, userAgent), ...unread }
    }
    const read = notModified
      ? { links: await this.#linksOfStored(page, notModified), ...unread }
      : await this.#needs.reading.read(page, fetched, first)
    const { links: extracted, records, block } = read
    const links = linksOf(extracted)
    if (!obeysDirectives) return { links, robots: noDirectives, records, block }
    const { robots } = extracted
    // A page that asks not to be followed is still shown whole: what it needs to look right is no link to follow.
    return {
      links: links.filter((link) => isRequisite(link.kind) || !(link.isNoFollow || robots.noFollow)),
      robots,
      records,
      block,
    }
  }

  async #linksOfStored(page: PageAddress, version: LastVersion) {
    const { head, payload } = await this.#needs.archive.read(version)
    return this.#needs.reading.links(page, parseHttpHead(head)!.headers, payload)
  }

  /** Why it is not to be kept. Redirects and errors are kept whatever they call themselves. */
  #refusal(
    fetched: Fetched,
    robots: RobotsDirectives,
    types: VisitRequest['types'],
  ): MissedReason | undefined {
    if (robots.noArchive) return { code: 'noarchive', reason: 'the page asks not to be archived (noarchive)' }
    const mediaType = fetched.headers.get('Content-Type') ?? ''
    if (isPage(fetched) && !types.keeps(mediaType))
      return { code: 'type-not-wanted', reason: `type ${mediaType || 'unknown'} is not wanted` }
    return undefined
  }
}

/** `block`: the response once it has been read; those bytes that were fetched may have been given away. */
function responseOf(
  { status, headers, bodyBytes, body }: Fetched,
  block: FetchedCapture['block'],
): Omit<VisitResponse, 'isKept'> {
  const bytes = block instanceof Uint8Array ? block.subarray(block.length - bodyBytes) : body()
  return { status, headers, body: bytes, bodyBytes }
}

function isPage({ status }: Fetched): boolean {
  return status >= 200 && status < 300
}
