// Content: what is made of a capture for a reader, and what that reader wishes.

import type { Url } from '../../model/url/url.ts'
import type { Header } from '../archived-head.ts'
import type { Modifier } from '../replay-address.ts'

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

export interface ContentRequest {
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
  /** A page of ours that offers a file for download. */
  readonly isOffer?: boolean | undefined
  /** Bytes, or where they flow from; undefined where there are none. */
  readonly body: Uint8Array | (() => AsyncIterable<Uint8Array>) | undefined
  /** Of the body, where that is known before it has flowed. */
  readonly sizeBytes: number | undefined
  readonly entityTag: string
}
