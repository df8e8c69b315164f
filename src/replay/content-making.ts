// Content making: a capture → what a browser or a tool is given for it: rewritten, decoded, or as it was archived.
//
// What is rewritten is in memory, within limits; what is larger than those goes out as it is, with a header that says so.
// What is not rewritten flows. Nothing is handed out that the store has not verified, up to its own limit for reading a
// content in one piece; beyond that, an error cuts the flow.

import { printTimestamp } from '../record/timestamp.ts'
import type { Url } from '../record/url.ts'
import {
  type ArchivedHead,
  archivedHead,
  type Header,
  handedOn,
  isBodiless,
  sendableStatus,
} from './archived-head.ts'
import { isArchivedRedirect, type RedirectPlace, redirectHeader, refreshHeader } from './archived-redirect.ts'
import type { CaptureSource, ReplayCapture, ReplayRecord } from './capture-source.ts'
import { areKnown, codingsOf, decodeContent, isCodedAs } from './content-decoding.ts'
import { type ContentKind, kindOf, mayBeRewritten } from './content-kind.ts'
import { decodedStream } from './decoded-stream.ts'
import { entityTagOf } from './entity-tag.ts'
import type { Modifier } from './replay-address.ts'
import { declarationOf, hasStart, type RewriteContext, rewriteContent } from './rewrite/rewrite-content.ts'
import { bytesOfText, textBytesOf } from './text-bytes.ts'

export interface ContentLimits {
  /** A text is rewritten up to this size, as it was archived and decoded. */
  readonly rewrittenBytesMax: number
  /** What is not rewritten is read in one piece up to this size, and flows beyond. */
  readonly wholeBytesMax: number
}

export const contentLimitsDefault: ContentLimits = {
  // About 50 ms of work: the thread has others to serve.
  rewrittenBytesMax: 3 * 1024 * 1024,
  wholeBytesMax: 1024 * 1024,
}

export interface ContentWish {
  readonly url: Url
  readonly modifier: Modifier
  /** Of links and parts: that of the page they are on. */
  readonly timestamp: string
  readonly destination: string | undefined
  /** Content codings that the client takes; undefined when it did not say. */
  readonly acceptEncoding: string | undefined
}

export interface Content {
  readonly status: number
  readonly headers: readonly Header[]
  /** Our start is in it, without which no script may run. */
  readonly hasStart?: boolean | undefined
  /** Bytes, or where they flow from; undefined where there are none. */
  readonly body: Uint8Array | (() => AsyncIterable<Uint8Array>) | undefined
  /** Of the body, where that is known before it has flowed. */
  readonly sizeBytes: number | undefined
  readonly entityTag: string
}

/** Earlier versions that are looked through for the headers that a 304 left out. */
const earlierMax = 20

export class ContentMaking {
  readonly #source: CaptureSource
  readonly #context: RewriteContext
  readonly #limits: ContentLimits

  constructor(needs: { source: CaptureSource; context: RewriteContext }, limits: ContentLimits) {
    this.#source = needs.source
    this.#context = needs.context
    this.#limits = limits
  }

  async make(capture: ReplayCapture, wish: ContentWish): Promise<Content> {
    const record = await this.#source.read(capture)
    const head = await this.#head(capture, record, wish.url)
    const place: RedirectPlace = { timestamp: wish.timestamp, modifier: wish.modifier, url: wish.url.href }
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
    if (isBodiless(status))
      return { status, headers: [...headers, ...handedOn(head.headers)], ...noBody(capture) }
    const content = await new CaptureContent(record, head, capture, wish, this.#context, this.#limits).make()
    return { ...content, status, headers: [...content.headers, ...headers, ...handedOn(head.headers)] }
  }

  /** A 304 says that all is as it was: what was said then counts, but for what it says anew. */
  async #head(capture: ReplayCapture, record: ReplayRecord, url: Url): Promise<ArchivedHead> {
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

type Made = Omit<Content, 'status'>

class CaptureContent {
  readonly #record: ReplayRecord
  readonly #head: ArchivedHead
  readonly #capture: ReplayCapture
  readonly #wish: ContentWish
  readonly #context: RewriteContext
  readonly #limits: ContentLimits
  readonly #contentType: string | undefined

  constructor(
    record: ReplayRecord,
    head: ArchivedHead,
    capture: ReplayCapture,
    wish: ContentWish,
    context: RewriteContext,
    limits: ContentLimits,
  ) {
    this.#record = record
    this.#head = head
    this.#capture = capture
    this.#wish = wish
    this.#context = context
    this.#limits = limits
    this.#contentType = head.headers.get('Content-Type') ?? (capture.mime === '' ? undefined : capture.mime)
  }

  async make(): Promise<Made> {
    const { sizeBytes } = this.#record
    const { modifier, destination } = this.#wish
    const clues = { modifier, destination, mime: mimeOf(this.#contentType) }
    const isWanted = mayBeRewritten(clues)
    if (sizeBytes > (isWanted ? this.#limits.rewrittenBytesMax : this.#limits.wholeBytesMax)) {
      return this.#flowing(isWanted)
    }
    const bytes = await collected(this.#record)
    const codings = this.#codings(bytes)
    if (!isWanted) return this.#plain(bytes, codings)
    const decoded = await decodeContent(bytes, codings, this.#limits.rewrittenBytesMax)
    if (decoded.kind !== 'decoded') return this.#plain(bytes, codings, decoded.kind)
    const start = Buffer.from(
      decoded.bytes.buffer,
      decoded.bytes.byteOffset,
      Math.min(decoded.bytes.length, 1_024),
    )
    const kind = kindOf(clues, start.toString('latin1'))
    return kind === 'none' ? this.#plain(bytes, codings) : this.#rewritten(decoded.bytes, kind)
  }

  #rewritten(bytes: Uint8Array, kind: ContentKind): Made {
    const { text, charset, isDeclared } = textBytesOf(bytes, this.#contentType, declarationOf(kind))
    const { timestamp, modifier } = this.#wish
    const page = {
      timestamp,
      modifier,
      url: this.#capture.url,
      capturedAt: printTimestamp(this.#capture.capturedAtMs),
      capturedAtMs: this.#capture.capturedAtMs,
    }
    const body = bytesOfText(rewriteContent(text, kind, page, this.#context))
    return {
      headers: [
        [
          'Content-Type',
          typeOf(kind, mimeOf(this.#contentType), isDeclared || !hasPageCharset(kind) ? charset : undefined),
        ],
      ],
      hasStart: hasStart(kind, modifier),
      body,
      sizeBytes: body.length,
      entityTag: entityTagOf(this.#capture, kind, ''),
    }
  }

  /** As archived; without its coding where the client does not take that. */
  async #plain(bytes: Uint8Array, codings: readonly string[], reason?: string): Promise<Made> {
    const headers = this.#plainHeaders(reason)
    const decoded = this.#isTaken(codings)
      ? undefined
      : await decodeContent(bytes, codings, this.#limits.rewrittenBytesMax)
    if (decoded?.kind === 'decoded') {
      const { bytes: body } = decoded
      return { headers, body, sizeBytes: body.length, entityTag: this.#tag([]) }
    }
    if (decoded?.kind === 'too-large') return this.#decodedFlow(once(bytes), codings, headers)
    if (codings.length > 0) headers.push(['Content-Encoding', codings.join(', ')])
    return { headers, body: bytes, sizeBytes: bytes.length, entityTag: this.#tag(codings) }
  }

  #flowing(isWanted: boolean): Made {
    const codings = codingsOf(this.#head.headers.get('Content-Encoding'))
    const headers = this.#plainHeaders(isWanted ? 'too-large' : undefined)
    const record = this.#record
    if (!this.#isTaken(codings)) return this.#decodedFlow(record.payload(), codings, headers)
    if (codings.length > 0) headers.push(['Content-Encoding', codings.join(', ')])
    return {
      headers,
      body: () => record.payload(),
      sizeBytes: record.sizeBytes,
      entityTag: this.#tag(codings),
    }
  }

  #decodedFlow(chunks: AsyncIterable<Uint8Array>, codings: readonly string[], headers: Header[]): Made {
    const body = () => decodedStream(chunks, codings)
    return { headers, body, sizeBytes: undefined, entityTag: this.#tag([]) }
  }

  /** What nobody here can decode is handed on as well. */
  #isTaken(codings: readonly string[]): boolean {
    return codings.length === 0 || !areKnown(codings) || takes(this.#wish.acceptEncoding, codings)
  }

  #plainHeaders(reason: string | undefined): Header[] {
    const headers: Header[] = []
    if (this.#contentType !== undefined) headers.push(['Content-Type', this.#contentType])
    if (reason !== undefined) headers.push(['X-Polyhistor-Unrewritten', reason])
    return headers
  }

  #codings(bytes: Uint8Array): string[] {
    const codings = codingsOf(this.#head.headers.get('Content-Encoding'))
    return isCodedAs(codings, bytes) ? codings : []
  }

  #tag(codings: readonly string[]): string {
    return entityTagOf(this.#capture, 'none', codings.join('-'))
  }
}

function noBody(capture: ReplayCapture): Pick<Content, 'body' | 'sizeBytes' | 'entityTag'> {
  return { body: undefined, sizeBytes: 0, entityTag: entityTagOf(capture, 'none', '') }
}

async function collected(record: ReplayRecord): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of record.payload()) parts.push(chunk)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

export function mimeOf(contentType: string | undefined): string {
  const end = contentType?.indexOf(';') ?? -1
  return (end === -1 ? (contentType ?? '') : contentType!.slice(0, end)).trim().toLowerCase()
}

/** Who does not say takes everything (RFC 9110, section 12.5.3). */
function takes(acceptEncoding: string | undefined, codings: readonly string[]): boolean {
  if (acceptEncoding === undefined) return true
  return codings.every((coding) =>
    acceptEncoding
      .toLowerCase()
      .split(',')
      .some((offer) => {
        const [name, quality = ''] = offer.trim().split(/[ \t]*;[ \t]*/)
        return (name === coding || name === '*' || name === `x-${coding}`) && !/^q=0(?:\.0*)?$/.test(quality)
      }),
  )
}

function isSameContent(left: ReplayCapture['content'], right: ReplayCapture['content']): boolean {
  return (
    left !== undefined && right !== undefined && Buffer.compare(left.digest.bytes, right.digest.bytes) === 0
  )
}

/** Without a word on it, these are read in the charset of their page. */
function hasPageCharset(kind: ContentKind): boolean {
  return kind === 'script' || kind === 'css'
}

/** Scripts and styles by what they are used as, for a browser refuses some that are called otherwise. */
function typeOf(kind: ContentKind, mime: string, charset: string | undefined): string {
  const type = typesOfKinds[kind] ?? (mime === '' ? 'text/plain' : mime)
  return charset === undefined ? type : `${type}; charset=${charset}`
}

const typesOfKinds: Partial<Record<ContentKind, string>> = {
  script: 'text/javascript',
  module: 'text/javascript',
  worker: 'text/javascript',
  'module-worker': 'text/javascript',
  css: 'text/css',
  html: 'text/html',
  svg: 'image/svg+xml',
}
