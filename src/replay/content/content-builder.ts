// Content making: a capture → what a browser or a tool is given for it: its status, what of its headers takes effect, and its
// body (capture-content.ts).

import type { CaptureRecord } from '../../model/archive.ts'
import type { Url } from '../../model/url/url.ts'
import {
  type ArchivedHead,
  archivedHead,
  type Header,
  handedOn,
  isBodiless,
  sendableStatus,
} from '../archived-head.ts'
import {
  isArchivedRedirect,
  type RedirectPlace,
  redirectHeader,
  refreshHeader,
} from '../archived-redirect.ts'
import type { CaptureSource, ReplayCapture } from '../capture-source.ts'
import { entityTagOf } from '../entity-tag.ts'
import type { RewriteContext } from '../rewrite/rewrite-content.ts'
import { CaptureContent } from './capture-content.ts'
import type { Content, ContentLimits, ContentRequest } from './content.ts'
import { MakingTurns } from './making-turns.ts'

/** Earlier versions that are looked through for the headers that a 304 left out. */
const earlierMax = 20

/** Smaller ones are many, and made at once. */
const smallBytesMax = 64 * 1024
const largeAtOnceMax = 12

export class ContentBuilder {
  readonly #source: CaptureSource
  readonly #context: RewriteContext
  readonly #limits: ContentLimits
  readonly #turns = new MakingTurns(largeAtOnceMax)

  constructor(needs: { source: CaptureSource; context: RewriteContext }, limits: ContentLimits) {
    this.#source = needs.source
    this.#context = needs.context
    this.#limits = limits
  }

  make(capture: ReplayCapture, request: ContentRequest): Promise<Content> {
    const isSmall = capture.payloadBytes <= smallBytesMax
    return isSmall ? this.#make(capture, request) : this.#turns.run(() => this.#make(capture, request))
  }

  async #make(capture: ReplayCapture, request: ContentRequest): Promise<Content> {
    const record = await this.#source.read(capture)
    const head = await this.#head(capture, record, request.url)
    const place: RedirectPlace = {
      timestamp: request.timestamp,
      modifier: request.modifier,
      url: request.url.href,
    }
    const location = head.headers.get('Location')
    const headers: Header[] = []
    if (isArchivedRedirect(head.status, location)) {
      const header = redirectHeader(capture, location, place)
      if (header !== undefined) headers.push(header)
    }
    const refresh = head.headers.get('Refresh')
    const refreshed = refresh === undefined ? undefined : refreshHeader(capture, refresh, place)
    if (refreshed !== undefined) headers.push(refreshed)
    const status = sendableStatus(head.status)
    const others = handedOn(head.headers, request.modifier === 'id_')
    if (isBodiless(status)) return { status, headers: [...headers, ...others], ...noBody(capture) }
    const content = await new CaptureContent(
      record,
      head,
      capture,
      request,
      this.#context,
      this.#limits,
    ).make()
    return { ...content, status, headers: [...content.headers, ...headers, ...others] }
  }

  /** A 304 says that all is as it was: what was said then counts, but for what it says anew. */
  async #head(capture: ReplayCapture, record: CaptureRecord, url: Url): Promise<ArchivedHead> {
    const head = archivedHead(record.head, capture)
    if (head.status !== 304) return head
    const earlier = await this.#source.versions(url, {
      toMs: capture.capturedAtMs,
      reverse: true,
      limit: earlierMax,
    })
    const same = earlier.find(
      ({ status, content }) => status !== 304 && isSameContent(content, capture.content),
    )
    if (same === undefined) return head
    const { head: bytes } = await this.#source.read(same)
    return archivedHead(bytes, same)
  }
}

function noBody(capture: ReplayCapture): Pick<Content, 'body' | 'sizeBytes' | 'entityTag'> {
  return { body: undefined, sizeBytes: 0, entityTag: entityTagOf(capture, 'none', '') }
}

function isSameContent(left: ReplayCapture['content'], right: ReplayCapture['content']): boolean {
  return (
    left !== undefined && right !== undefined && Buffer.compare(left.digest.bytes, right.digest.bytes) === 0
  )
}
