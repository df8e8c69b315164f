// A visit: one URL is fetched, kept and read for links. Says what happened; decides nothing about when or what next.
//
// Everything that a server or a page can do ends in an outcome. What rejects is our own trouble: the disk, the index, an
// abort; the URL then stays queued.

import { hash } from 'node:crypto'
import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import type { Field } from '../../formats/http/field-list.ts'
import { parseHttpHead, parseStatusLine } from '../../formats/http/http-message.ts'
import type { PageLinks } from '../../graph/packed-links.ts'
import type { Digest } from '../../model/digest.ts'
import { type RenderedPage, readsTheSame, wordsOf } from '../../model/rendered-page.ts'
import type { Url } from '../../model/url/url.ts'
import type { AddressRule, WebLimits } from '../../platform/network/web.ts'
import type { Fetcher, FetchOptions, SentRequest } from '../fetch/fetcher.ts'
import type { Fetched, FetchedCapture, FetchFailure, FetchOutcome } from '../fetch/outcome.ts'
import type { Observation } from '../frontier/changes/change-recorder.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { type Link, linksOf, pageLinksOf } from '../links/link.ts'
import { isRequisite } from '../links/link-source.ts'
import { noDirectives, parseDirectives, type RobotsDirectives } from '../robots/robots-directives.ts'
import type { Archive, KeptAs, LastVersion, UntilOthers } from './archive.ts'
import { filedUrl } from './filed-url.ts'
import type { ComparedVersion, PageComparer } from './page-comparer.ts'
import type { PageAddress, PageReader } from './page-reader.ts'
import type { ReadyRecords } from './page-work.ts'

interface VisitOptions {
  readonly userAgent: string
  /** Honour `noarchive` and `nofollow` of pages. */
  readonly obeysDirectives: boolean
  /** Tell what was shown, for the log of changes. */
  readonly keepsChanges?: boolean
}

export interface VisitRequest {
  readonly url: Url
  /** Where it is no plain GET. Its response is filed under method and body, too. */
  readonly sent?: SentRequest | undefined
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
  /** Of the body, where that is less. */
  readonly bytesMax?: number | undefined
  /** Whatever version there is: it is not asked whether that still stands. */
  readonly isWhole?: boolean | undefined
  /** By others than this peer's own fetcher. */
  readonly fetch?: ((url: Url, options: FetchOptions) => Promise<FetchOutcome>) | undefined
  /** Gets the response once it is kept, or found to be not for keeping, as long as its body can be read. */
  readonly deliver?: ((response: VisitResponse) => Promise<void>) | undefined
  /** Asked after that: what a browser read of it, where one showed it whole. */
  readonly rendered?: (() => RenderedPage | undefined) | undefined
}

/** A response as its reader gets it: of a page that has not changed, the version that we have. */
export interface VisitResponse extends Omit<ComparedVersion, 'url'> {
  readonly isKept: boolean
}

/** One that the archive has. */
export type StoredResponse = Omit<VisitResponse, 'isKept' | 'capturedAtMs'>

export interface Visited {
  readonly kind: 'visited'
  readonly fetched: Fetched
  /** `not-kept`: the page or the options forbid it; `missed` says which. */
  readonly kept: KeptAs | 'not-kept'
  readonly isKnownPayload: boolean
  /** Why it was not kept. */
  readonly missed: MissedReason | undefined
  readonly links: readonly Link[]
  /** All links of a page, for the link graph; undefined where it was no page. */
  readonly pageLinks: PageLinks | undefined
  /** False when the page asks that nothing of it be followed. */
  readonly isFollowed: boolean
  /** Of what is kept, for the log of changes. */
  readonly observed: Observation | undefined
  /** Whether its reader sees something else than last time: by its words where a browser showed it both times, else by its bytes. */
  readonly hasChanged: boolean
}

interface Needs {
  fetcher: Fetcher
  archive: Archive
  reading: PageReader
  /** Asked about pages that have changed; without it events tell digests and bytes only. */
  comparing?: PageComparer | undefined
}

export class PageVisitor {
  readonly #needs: Needs
  readonly #options: VisitOptions

  constructor(needs: Needs, options: VisitOptions) {
    this.#needs = needs
    this.#options = options
  }

  async visit(request: VisitRequest, signal?: AbortSignal): Promise<Visited | FetchFailure> {
    const { url, sent, allow, headers, limits, bytesMax } = request
    const last = await this.#needs.archive.lastVersion(filedUrl(request))
    const validators = sent === undefined && !request.isWhole ? last?.validators : undefined
    const options = { sent, validators, allow, headers, limits, bytesMax, signal }
    const fetched = await (request.fetch?.(url, options) ?? this.#needs.fetcher.fetch(url, options))
    if (fetched.kind === 'failed') return fetched
    request.whenAnswered?.(fetched)
    try {
      return await this.#take(request, fetched, last)
    } finally {
      await fetched.discard()
    }
  }

  async #take(request: VisitRequest, fetched: Fetched, last: LastVersion | undefined): Promise<Visited> {
    const { url, about, types, untilOthers, documentHref, deliver } = request
    const filed = filedUrl(request)
    const notModified = fetched.kind === 'not-modified' ? last : undefined
    const capture = {
      ...fetched.capture,
      url: filed,
      targetUri: filed === url ? undefined : url.href,
      metadata: [...about, ...fetched.capture.metadata],
    }
    // Of a URL that has a version already, less than the whole may be enough to keep.
    const first = last === undefined && filed === url ? capture : undefined
    const { links, packed, robots, records, block } = await this.#read(
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
      const { capturedAtMs } = capture
      await deliver({ ...response, capturedAtMs, isKept: kept !== undefined && kept.as !== 'hidden' })
    }
    const hasOtherBytes = kept?.as === 'changed'
    const before = hasOtherBytes ? async () => last && this.#difference(fetched, block, last) : undefined
    const isTold = kept?.observed !== undefined && (this.#options.keepsChanges ?? true)
    const change = isTold ? await this.#change(request, kept.observed, before) : undefined
    return {
      kind: 'visited',
      fetched,
      kept: kept?.as ?? 'not-kept',
      isKnownPayload: kept?.isKnownPayload ?? false,
      missed,
      links,
      pageLinks: packed,
      isFollowed: !robots.noFollow,
      observed: change && withTarget(change.observed, fetched),
      hasChanged: change?.hasChanged ?? hasOtherBytes,
    }
  }

  /** `bytesDifference`: where its bytes are others than those of the version before. */
  async #change(
    { url, rendered: renderedOf }: VisitRequest,
    observed: Observation,
    bytesDifference: (() => Promise<VersionDifference | undefined>) | undefined,
  ): Promise<{ readonly observed: Observation; readonly hasChanged: boolean }> {
    const rendered = renderedOf?.()
    const before = rendered && (await this.#needs.archive.rendered.before(url, rendered.capturedAtMs))
    const sighting = rendered ? { ...observed.sighting, words: wordsDigest(rendered) } : observed.sighting
    if (rendered === undefined || before === undefined) {
      const difference = await bytesDifference?.()
      return { observed: { ...observed, sighting, difference }, hasChanged: bytesDifference !== undefined }
    }
    const hasChanged = !readsTheSame(before, rendered)
    const isCompared = hasChanged || bytesDifference !== undefined
    const difference = isCompared
      ? await this.#needs.comparing?.compareRendered(url.href, before, rendered)
      : undefined
    return { observed: { ...observed, sighting, difference }, hasChanged }
  }

  /** The version before is read for this only, when the payload is another. */
  async #difference(
    fetched: Fetched,
    block: FetchedCapture['block'],
    last: LastVersion,
  ): Promise<VersionDifference | undefined> {
    const { url, capturedAtMs } = fetched.capture
    const after = { url: url.href, capturedAtMs, ...responseOf(fetched, block) }
    return this.#needs.comparing?.compare(after, async () => ({
      url: last.url,
      capturedAtMs: last.capturedAtMs,
      ...(await this.stored(last)),
    }))
  }

  /** A version that we have, as it came. */
  async stored(version: LastVersion): Promise<StoredResponse> {
    const { head, payload, payloadBytes } = await this.#needs.archive.read(version)
    const parsed = parseHttpHead(head)!
    const status = parseStatusLine(parsed.startLine)?.status ?? 200
    return { status, headers: parsed.headers, body: payload, bodyBytes: payloadBytes }
  }

  /** Links and directives; of a page that has not changed, those of the version that we have. */
  async #read(
    page: PageAddress,
    fetched: Fetched,
    notModified: LastVersion | undefined,
    first: FetchedCapture | undefined,
  ): Promise<{
    links: readonly Link[]
    packed?: PageLinks | undefined
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
    const packed = pageLinksOf(extracted)
    if (!obeysDirectives) return { links, packed, robots: noDirectives, records, block }
    const { robots } = extracted
    // A page that asks not to be followed is still shown whole: what it needs to look right is no link to follow.
    return {
      links: links.filter((link) => isRequisite(link.kind) || !(link.isNoFollow || robots.noFollow)),
      packed,
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
): StoredResponse {
  const bytes = block instanceof Uint8Array ? block.subarray(block.length - bodyBytes) : body()
  return { status, headers, body: bytes, bodyBytes }
}

function wordsDigest(rendered: RenderedPage): Digest {
  return { algorithm: 'sha256', bytes: hash('sha256', wordsOf(rendered), 'buffer') }
}

function withTarget(observed: Observation, { redirect }: Fetched): Observation {
  const target = redirect?.target?.href
  return target === undefined ? observed : { ...observed, sighting: { ...observed.sighting, target } }
}

function isPage({ status }: Fetched): boolean {
  return status >= 200 && status < 300
}
