// What replay asks of the archive. `app/` gives it the store; a network of peers can be behind it as well.

import type { Awaitable } from '../model/listed.ts'
import type { Url } from '../model/url.ts'

/** A capture as the index knows it. */
export interface ReplayCapture {
  /** As it was fetched: captures of `http` and `https`, with and without `www`, stand under the same URL. */
  readonly url: string
  readonly capturedAtMs: number
  /** 0 where there was no HTTP. */
  readonly status: number
  /** See capture-choice.ts. */
  readonly importedBy?: string | undefined
  readonly isLater?: boolean | undefined
  readonly mime: string
  readonly payloadBytes: number
  /** Names the capture: the same one always has the same. */
  readonly cursor: string
  /** What the payload is known by, where that is known. */
  readonly content: { readonly digest: { readonly bytes: Uint8Array } } | undefined
}

export interface ReplayRecord {
  /** Status line and headers as they came; undefined when the capture came without HTTP. */
  readonly head: Uint8Array | undefined
  /** Of the payload: after transfer-decoding, before content-decoding. */
  readonly sizeBytes: number
  /** Ends with an error when the bytes are not what was stored. */
  payload(): AsyncIterable<Uint8Array>
}

export interface VersionRange {
  /** Included. */
  readonly fromMs?: number | undefined
  /** Excluded. */
  readonly toMs?: number | undefined
  /** Newest first. */
  readonly reverse?: boolean | undefined
  readonly limit: number
}

export interface CaptureSource {
  /** The versions of a URL in this stretch of time, oldest first unless reversed. */
  versions(url: Url, range: VersionRange): Awaitable<readonly ReplayCapture[]>
  read(capture: ReplayCapture): Promise<ReplayRecord>
  isTakenDown(url: Url): Awaitable<boolean>
  /** Another number whenever what `versions` gives for this URL may be another; undefined where that is not known. */
  revision?(url: Url): number | undefined
}
