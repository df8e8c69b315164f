// A visit: one URL is fetched, kept and read for links. Says what happened; decides nothing about when or what next.
//
// Everything that a server or a page can do ends in an Outcome. What rejects is our own trouble: the disk, the index, an
// abort; the URL then stays queued.

import type { Field } from '../../record/field-list.ts'
import { type HttpHead, parseHttpHead } from '../../record/http-message.ts'
import type { Url } from '../../record/url.ts'
import type { Clock } from '../../world/clock.ts'
import type { AddressRule, Web, WebAnswer, WebLimits, WebResponse } from '../../world/web.ts'
import { conditionalHeaders } from '../fetch/conditional.ts'
import { redirectOf } from '../fetch/redirect.ts'
import { blockOf } from '../fetch/response-block.ts'
import { type Link, linksOf } from '../links/link.ts'
import { noDirectives, parseDirectives, type RobotsDirectives } from '../robots/robots-directives.ts'
import type { Archive, CrawledCapture, KeptAs, LastVersion } from './archive.ts'
import type { LinkFinding } from './link-finding.ts'
import { requestHeaders } from './request-headers.ts'

export interface VisitOptions {
  readonly userAgent: string
  readonly limits: WebLimits
  readonly insecure: boolean
  /** Honour `noarchive` and `nofollow` of pages. */
  readonly obeysDirectives: boolean
  /** Whether a response of this media type is kept. */
  keepsType(mediaType: string): boolean
}

export interface VisitRequest {
  readonly url: Url
  /** For the metadata record: where it was found, why it is wanted, how deep. */
  readonly about: readonly Field[]
  /** Asked for every address at the moment of connecting. */
  readonly allow: AddressRule
}

export type VisitOutcome =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly bytes: number
      readonly responseMs: number
      /** How long ago the response ended: keeping it takes time too. */
      sinceEndMs(): number
      readonly address: string
      readonly retryAfter: string | undefined
      readonly truncated: string | undefined
      /** `not-kept`: the page or the options forbid it; the reason says which. */
      readonly kept: KeptAs | 'not-kept'
      readonly isKnownPayload: boolean
      readonly reason: string | undefined
      readonly mediaType: string
      readonly links: readonly Link[]
      readonly redirect: Url | undefined
    }
  | {
      readonly kind: 'failure'
      readonly code: string
      readonly reason: string
      readonly retry: 'never' | 'later'
      readonly address: string | undefined
    }

interface Needs {
  web: Web
  clock: Clock
  archive: Archive
  links: LinkFinding
}

export class Visiting {
  readonly #needs: Needs
  readonly #options: VisitOptions

  constructor(needs: Needs, options: VisitOptions) {
    this.#needs = needs
    this.#options = options
  }

  async visit(request: VisitRequest, signal?: AbortSignal): Promise<VisitOutcome> {
    const last = await this.#needs.archive.lastVersion(request.url)
    const startedAtMs = this.#needs.clock.nowMs()
    const answer = await this.fetch(request, last ? conditionalHeaders(last.validators) : [], signal)
    if (answer.outcome === 'failure') return { kind: 'failure', ...answer }
    try {
      return await this.#take(request, answer, last, startedAtMs)
    } finally {
      if (answer.body.kind === 'spooled') await answer.body.remove()
    }
  }

  /** The request alone: nothing is kept. */
  fetch(
    { url, allow }: Pick<VisitRequest, 'url' | 'allow'>,
    conditions: Field[] = [],
    signal?: AbortSignal,
  ): Promise<WebAnswer> {
    const { userAgent, limits, insecure } = this.#options
    return this.#needs.web.fetch(
      { url, headers: requestHeaders(userAgent, conditions), limits, allow, insecure },
      signal,
    )
  }

  async #take(
    { url, about }: VisitRequest,
    response: WebResponse,
    last: LastVersion | undefined,
    capturedAtMs: number,
  ): Promise<VisitOutcome> {
    const { block, headBytes } = blockOf(response)
    const isWhole = block instanceof Uint8Array
    const head = parseHttpHead(isWhole ? block.subarray(0, headBytes) : block.head)!
    const body = isWhole
      ? block.subarray(headBytes)
      : (response.body as { chunks(): AsyncIterable<Uint8Array> }).chunks()
    const mediaType = head.headers.get('Content-Type') ?? ''
    const notModified = response.status === 304 ? last : undefined
    const found = await this.#linksOf(url, response.status, head, body, notModified)
    const refusal = this.#refusal(response.status, found.robots, mediaType)
    const capture: CrawledCapture = {
      url,
      capturedAtMs,
      block,
      request: response.request,
      metadata: metadataOf(about, response),
      ipAddress: response.address,
      protocols: response.protocols,
      truncated: response.truncated,
      notModified,
    }
    const kept = refusal === undefined ? await this.#needs.archive.keep(capture) : undefined
    const { timing } = response
    return {
      kind: 'response',
      status: response.status,
      bytes: response.head.length + response.body.length,
      responseMs: timing.endMs - timing.sentMs,
      sinceEndMs: () => this.#needs.clock.monotonicMs() - timing.endMs,
      address: response.address,
      retryAfter: head.headers.get('Retry-After'),
      truncated: response.truncated,
      kept: kept?.as ?? 'not-kept',
      isKnownPayload: kept?.isKnownPayload ?? false,
      reason: refusal,
      mediaType,
      links: found.links,
      redirect: redirectOf(response.status, head.headers, url)?.target,
    }
  }

  async #linksOf(
    url: Url,
    status: number,
    head: HttpHead,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    notModified: LastVersion | undefined,
  ): Promise<{ links: readonly Link[]; robots: RobotsDirectives }> {
    const isPage = status >= 200 && status < 300
    if (!isPage && notModified === undefined) return { links: [], robots: this.#headerDirectives(head) }
    const extracted = notModified
      ? await this.#linksOfStored(url, notModified)
      : await this.#needs.links.find(url, head.headers, body)
    const robots = this.#options.obeysDirectives ? extracted.robots : noDirectives
    const links = linksOf(extracted).filter((link) => link.kind !== 'redirect' || isPage)
    if (!this.#options.obeysDirectives) return { links, robots }
    // A page that asks not to be followed is still shown whole: what it needs to look right is no link to follow.
    const isWanted = (link: Link) => isNeeded(link) || !(link.isNoFollow || robots.noFollow)
    return { links: links.filter(isWanted), robots }
  }

  async #linksOfStored(url: Url, version: LastVersion) {
    const { head, payload } = await this.#needs.archive.read(version)
    return this.#needs.links.find(url, parseHttpHead(head)!.headers, payload)
  }

  #headerDirectives(head: HttpHead): RobotsDirectives {
    if (!this.#options.obeysDirectives) return noDirectives
    return parseDirectives(head.headers.getAll('X-Robots-Tag'), this.#options.userAgent)
  }

  /** Why it is not to be kept. Redirects and errors are kept whatever they call themselves. */
  #refusal(status: number, robots: RobotsDirectives, mediaType: string): string | undefined {
    if (robots.noArchive) return 'the page asks not to be archived (noarchive)'
    const isPage = status >= 200 && status < 300
    if (isPage && !this.#options.keepsType(mediaType)) return `type ${mediaType || 'unknown'} is not wanted`
    return undefined
  }
}

export function isNeeded(link: Link): boolean {
  return link.kind === 'requisite' || link.kind === 'frame'
}

function metadataOf(about: readonly Field[], response: WebResponse): Field[] {
  const fetchMs = Math.round(response.timing.endMs - response.timing.startMs)
  const fields: Field[] = [...about, ['fetchTimeMs', String(fetchMs)]]
  if (response.tlsProblem !== undefined) fields.push(['tlsProblem', response.tlsProblem])
  return fields
}
