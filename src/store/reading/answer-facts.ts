// What a capture's block says of itself: status, type, payload, and whether compressing it is worth the while.

import { ChunkedDecoder } from '../../formats/http/chunked-decoder.ts'
import { isChunked, parseHttpHead, parseStatusLine } from '../../formats/http/http-message.ts'
import type { Digest } from '../../model/digest.ts'
import type { NewCapture } from '../capture.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import { StoreError } from '../store-error.ts'

export interface AnswerFacts {
  /** 0 where there is no HTTP. */
  status: number
  /** Lower case, without parameters; '' when nobody told. */
  mime: string
  /** Bytes up to the body. */
  headBytes: number
  /** undefined when it is too large for memory. */
  payload: Uint8Array | undefined
  payloadBytes: number
  payloadDigest: Digest
  isIncompressible: boolean
}

const incompressibleTypes =
  /^(?:image\/(?!svg|bmp|x-ms-bmp|vnd\.microsoft\.icon|x-icon)|video\/|audio\/(?!x-wav|wav)|font\/woff|application\/(?:zip|gzip|x-gzip|x-7z-compressed|x-rar|x-bzip2|x-xz|zstd|epub\+zip|vnd\.openxmlformats|java-archive|wacz))/

export function factsOf(capture: NewCapture, digest: ContentDigest): AnswerFacts {
  const { block, contentType } = capture
  const start = block instanceof Uint8Array ? block : block.head
  const head = contentType === undefined ? parseHttpHead(start) : undefined
  if (head === undefined && contentType === undefined) {
    throw new StoreError(
      'store-bad-capture',
      `The answer of ${capture.url.href} does not start with an HTTP head.`,
    )
  }
  const headBytes = head?.length ?? 0
  const mime = mimeOf(contentType ?? head?.headers.get('Content-Type'))
  const encoding = head?.headers.get('Content-Encoding')?.trim().toLowerCase() ?? ''
  const shared = {
    status: head === undefined ? 0 : (parseStatusLine(head.startLine)?.status ?? 0),
    mime,
    headBytes,
    isIncompressible: incompressibleTypes.test(mime) || (encoding !== '' && encoding !== 'identity'),
  }
  if (!(block instanceof Uint8Array)) {
    const { payloadBytes, payloadDigest } = block
    return { ...shared, payload: undefined, payloadBytes, payloadDigest }
  }
  const body = block.subarray(headBytes)
  const payload = head !== undefined && isChunked(head) ? unchunked(body) : body
  return {
    ...shared,
    payload,
    payloadBytes: payload.length,
    payloadDigest: capture.payloadDigest ?? digest.of(payload),
  }
}

export function mimeOf(contentType: string | undefined): string {
  const mime = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mime) ? mime.slice(0, 100) : ''
}

function unchunked(body: Uint8Array): Uint8Array {
  const decoder = new ChunkedDecoder()
  return Buffer.concat([...decoder.push(body), ...decoder.end()])
}
