// What replay asks of the archive. `app/` gives it the store; a network of peers can be behind it as well.

import type { ArchivedCapture, CaptureRecord } from '../model/archive.ts'
import type { Awaitable } from '../model/listed.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { Url } from '../model/url/url.ts'

/** A capture as the index knows it. Its URL is as it was fetched: captures of `http` and `https`, with and without `www`, stand under
 * the same URL. */
export type ReplayCapture = Pick<
  ArchivedCapture,
  | 'url'
  | 'capturedAtMs'
  | 'status'
  | 'importedBy'
  | 'isLater'
  | 'mime'
  | 'payloadBytes'
  | 'cursor'
  | 'content'
>

interface VersionRange extends TimeRange {
  /** Newest first. */
  readonly reverse?: boolean | undefined
  readonly limit: number
}

export interface CaptureSource {
  /** The versions of a URL in this stretch of time, oldest first unless reversed. */
  versions(url: Url, range: VersionRange): Awaitable<readonly ReplayCapture[]>
  read(capture: ReplayCapture): Promise<CaptureRecord>
  isTakenDown(url: Url): Awaitable<boolean>
  /** Another number whenever what `versions` gives for this URL may be another; undefined where that is not known. */
  revision?(url: Url): number | undefined
}
