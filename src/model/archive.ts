// What the interfaces ask of the archive. The store has it as it stands; a network of peers can be behind it as well.
//
// Everything that lists is lazy: who reads only the beginning pays for the beginning. What was taken down is known to every peer.

import type { Versions } from './capture-choice.ts'
import type { ToldCapture } from './capture-json.ts'
import { type Awaitable, allOf, type Listed } from './listed.ts'
import type { TimeRange } from './time-range.ts'
import type { Url } from './url/url.ts'

export interface ArchivedCapture extends ToldCapture {
  /** The place to go on from in a scan. */
  readonly cursor: string
}

/** What of a capture matters to what is derived from its page: links, words. */
export interface FollowedCapture
  extends Pick<ArchivedCapture, 'url' | 'surt' | 'capturedAtMs' | 'status' | 'cursor'> {
  /** Another text when the page's bytes are others, or what a browser saw of it. */
  readonly contentName: string
}

export type ArchiveSelection =
  | { kind: 'all' }
  | { kind: 'url'; url: string }
  /** All URLs that start like this one. */
  | { kind: 'prefix'; url: string }
  | { kind: 'host'; host: string }
  /** A domain with all the names under it: a site (see site.ts), a part of one, or a public suffix with all its sites. */
  | { kind: 'site'; site: string }

export interface CaptureIndex {
  /** Oldest first, or newest first with `reverse`. */
  versions(url: Url, options?: TimeRange & { reverse?: boolean; limit?: number }): Listed<ArchivedCapture>
  nearest(url: Url, atMs: number): Awaitable<ArchivedCapture | undefined>
  /** In the order of ring key, SURT and time: of one site, in that of SURT and time. */
  scan(
    selection: ArchiveSelection,
    options?: TimeRange & { after?: string | undefined; limit?: number | undefined },
  ): Listed<ArchivedCapture>
  isTakenDown(url: Url): boolean
}

/** For chooseCapture. */
export function versionsOf(archive: Pick<CaptureIndex, 'versions'>): Versions<ArchivedCapture> {
  return (url, { fromMs, toMs, reverse = false, limit }) =>
    allOf(archive.versions(url, { fromMs, toMs, reverse, limit }))
}

/** Whether it was captured as a revisit: the server said that nothing had changed, or the crawler that it was imported from did. What
 * only this archive keeps once is an answer like any other. */
export function isRevisit({ kind, isImportedRevisit }: ArchivedCapture): boolean {
  return kind === 'not-modified' || isImportedRevisit === true
}

export interface CaptureRecord {
  /** Status line and headers as they came; undefined when the capture came without HTTP. */
  readonly head: Uint8Array | undefined
  /** Of the payload: after transfer-decoding, before content-decoding. */
  readonly sizeBytes: number
  /** Verified as it flows: ends with an error when the bytes are not what was stored. */
  payload(): AsyncIterable<Uint8Array>
}

export interface ExportRequest extends TimeRange {
  readonly format: 'warc' | 'wacz'
  readonly selection: ArchiveSelection
  /** These alone, instead of a selection. */
  readonly captures?: readonly ArchivedCapture[] | undefined
  /** What a WACZ opens with, and lists as pages; all that are pages, when not given. */
  readonly pages?: readonly ArchivedCapture[] | undefined
  readonly mainPageUrl?: string | undefined
  readonly title?: string | undefined
  readonly filename?: string | undefined
}

export interface RunningExport {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Complete once all chunks have been read. */
  readonly result: object
}
