// Capture content: the body of one capture as its reader is to have it: rewritten, decoded, or as it was archived.
//
// What is rewritten is in memory, within limits; what is larger than those goes out as it is, with a header that says so.
// What is not rewritten flows. Nothing is handed out that the store has not verified, up to its own limit for reading a
// content in one piece; beyond that, an error cuts the flow.

import { areKnown, codingsOf, isCodedAs } from '../../formats/content-coding/codings.ts'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { decodedStream } from '../../formats/content-coding/decoded-stream.ts'
import { fetchedUrl } from '../../formats/http/request-query.ts'
import type { CaptureRecord } from '../../model/archive.ts'
import { joined } from '../../model/listed.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import type { ArchivedHead, Header } from '../archived-head.ts'
import type { ReplayCapture } from '../capture-source.ts'
import { entityTagOf } from '../entity-tag.ts'
import { ReplayError } from '../replay-error.ts'
import { declarationOf, hasStart, type RewriteContext, rewriteContent } from '../rewrite/rewrite-content.ts'
import type { Content, ContentLimits, ContentRequest } from './content.ts'
import { type ContentKind, kindOf, mayBeRewritten } from './content-kind.ts'
import { bytesOfText, textBytesOf } from './text-bytes.ts'

type Made = Omit<Content, 'status'>

export class CaptureContent {
  readonly #record: CaptureRecord
  readonly #head: ArchivedHead
  readonly #capture: ReplayCapture
  readonly #request: ContentRequest
  readonly #context: RewriteContext
  readonly #limits: ContentLimits
  readonly #contentType: string | undefined

  constructor(
    record: CaptureRecord,
    head: ArchivedHead,
    capture: ReplayCapture,
    request: ContentRequest,
    context: RewriteContext,
    limits: ContentLimits,
  ) {
    this.#record = record
    this.#head = head
    this.#capture = capture
    this.#request = request
    this.#context = context
    this.#limits = limits
    this.#contentType =
      sendable(head.headers.get('Content-Type')) ?? (capture.mime === '' ? undefined : capture.mime)
  }

  async make(): Promise<Made> {
    const { sizeBytes } = this.#record
    const { modifier, destination } = this.#request
    const clues = { modifier, destination, mime: mimeOf(this.#contentType) }
    const isWanted = mayBeRewritten(clues)
    if (sizeBytes > (isWanted ? this.#limits.rewrittenBytesMax : this.#limits.wholeBytesMax)) {
      return this.#flowing(isWanted)
    }
    const bytes = await joined(this.#record.payload())
    const codings = this.#codings(bytes)
    if (!isWanted) return this.#plain(bytes, codings)
    const decoded = await decodedOf(bytes, codings, this.#limits.rewrittenBytesMax)
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
    const { timestamp, modifier } = this.#request
    const page = {
      timestamp,
      modifier,
      url: fetchedUrl(this.#capture.url),
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
      : await decodedOf(bytes, codings, this.#limits.rewrittenBytesMax)
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
    const body = () => decodedFlow(chunks, codings)
    return { headers, body, sizeBytes: undefined, entityTag: this.#tag([]) }
  }

  /** What nobody here can decode is handed on as well. */
  #isTaken(codings: readonly string[]): boolean {
    return codings.length === 0 || !areKnown(codings) || takes(this.#request.acceptEncoding, codings)
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

type Decoded =
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' | 'undecodable' }

/** What broke off is shown as far as it goes: the server sent it so. */
async function decodedOf(
  encoded: Uint8Array,
  codings: readonly string[],
  bytesMax: number,
): Promise<Decoded> {
  const { bytes, end } = await decodeContent(encoded, codings, bytesMax)
  if (end === 'cut') return { kind: 'too-large' }
  const isNothing = end === 'damaged' && bytes.length === 0
  return end === 'unknown' || isNothing ? { kind: 'undecodable' } : { kind: 'decoded', bytes }
}

/** Whoever reads it is to see that it breaks off. */
async function* decodedFlow(chunks: AsyncIterable<Uint8Array>, codings: readonly string[]) {
  const end = yield* decodedStream(chunks, codings)
  if (end !== 'whole')
    throw new ReplayError('replay-damaged', 'The archived content cannot be decoded whole.')
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function mimeOf(contentType: string | undefined): string {
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

/** Archived headers hold what no server may send. */
function sendable(value: string | undefined): string | undefined {
  return value === undefined || /[^\t\x20-\x7e\x80-\xff]/.test(value) ? undefined : value
}
