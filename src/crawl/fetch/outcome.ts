// How a fetch ended, as the rest of the crawler sees it.

import type { Retry } from '../../errors.ts'
import type { Field, FieldList } from '../../formats/http/field-list.ts'
import type { LargeBlock } from '../../model/large-block.ts'
import type { Url } from '../../model/url/url.ts'
import type { WebFailureCode, WebTruncation } from '../../platform/network/web.ts'
import type { Validators } from './conditional.ts'
import type { Redirect, TrailEnd } from './redirect.ts'

/** What of a fetch is kept: the store takes it as it is. */
export interface FetchedCapture {
  /** What it is filed under: see NewCapture of the store. */
  readonly url: Url
  /** What was fetched, where that is another one. */
  readonly targetUri?: string | undefined
  readonly capturedAtMs: number
  readonly block: Uint8Array | LargeBlock
  readonly request: Uint8Array
  readonly metadata: readonly Field[]
  readonly ipAddress: string
  readonly protocols: readonly string[]
  /** Hex digits of the SHA-256 of the server's certificate. */
  readonly certificate?: string | undefined
  readonly truncated: WebTruncation | undefined
  /** Of who fetched it, where that was not this peer: see proof/capture-signature.ts. */
  readonly signature?: string | undefined
}

export interface Fetched {
  /** `not-modified`: a 304 to a request that asked for changes only. Its block is a head without body. */
  readonly kind: 'fetched' | 'not-modified'
  readonly status: number
  readonly headers: FieldList
  readonly capture: FetchedCapture
  /** The payload, before content-decoding. Can be asked for again, until the block is handed to another thread. */
  body(): Uint8Array | AsyncIterable<Uint8Array>
  readonly bodyBytes: number
  readonly validators: Validators
  readonly redirect: Redirect | undefined
  /** From the request being sent to the last byte: what politeness goes by. */
  readonly responseMs: number
  /** What opening a connection took; undefined on one that was open. */
  readonly connectMs?: number | undefined
  /** By the monotonic clock. */
  readonly endedAtMs: number
  /** Call it once the capture is kept or given up: a large block is a file until then. */
  discard(): Promise<void>
}

/** `bad-location`: a redirect to nowhere. The last three only where redirects are followed. */
export type FetchFailureCode = WebFailureCode | TrailEnd | 'bad-location'

export interface FetchFailure {
  readonly kind: 'failed'
  readonly code: FetchFailureCode
  readonly reason: string
  readonly retry: Retry
  readonly address: string | undefined
  readonly endedAtMs: number
}

export type FetchOutcome = Fetched | FetchFailure
