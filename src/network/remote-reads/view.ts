// View: the captures that a peer, or the whole network, lets its readers list and read.
//
// Types only. The store is one (by `app/`), and so is the network: see network-view.ts.
//
// A cursor is the same on every view: it is base64url of bytes that sort as the captures do, by ring key, SURT, time and record
// id. So a list that began at one peer goes on at another, and what several peers gave can be put in order.

import type { ArchivedCapture, CaptureRecord } from '../../model/archive.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { TimeRange } from '../../model/time-range.ts'

/** Its cursor names it, and the place to go on from in a list. */
export interface NetworkCapture extends ArchivedCapture {
  /** See same-second.ts. */
  readonly heardAtMs?: number | undefined
}

/** Of one site, which is kept together. A name with many sites under it is asked for by arcs. */
export type SiteSelection =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'prefix'; readonly url: string }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'site'; readonly site: string }

/** Or of a stretch of the ring, both ends included. */
export type ViewSelection = SiteSelection | ArcSelection

interface ArcSelection {
  readonly kind: 'arc'
  readonly from: RingKey
  readonly upTo: RingKey
  /** Only what lies under this name. */
  readonly domain?: string | undefined
}

export interface ListOptions extends TimeRange {
  /** Newest first; only for the versions of a URL. */
  readonly reverse?: boolean | undefined
  /** The cursor of the last capture seen: the list goes on behind it. */
  readonly after?: string | undefined
}

/** What a peer keeps itself. */
export interface LocalView {
  list(selection: ViewSelection, options: ListOptions & { limit: number }): Iterable<NetworkCapture>
  /** Whether what is listed is all that the network keeps of it. */
  isComplete(selection: ViewSelection): boolean
  /** Rejects with a PolyhistorError when it is not there, or damaged. */
  read(cursor: string): Promise<CaptureRecord>
  /** The capture as a stretch of a WARC file: as it is stored or, `isWhole`, with its payload. Rejects like `read`. */
  records(cursor: string, isWhole: boolean): Promise<AsyncIterable<Uint8Array>>
}
