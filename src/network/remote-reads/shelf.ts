// A shelf: what a peer, or the whole network, lets its readers look for and read.
//
// Types only. The store is one (by `app/`), and so is the network: see network-shelf.ts.
//
// A cursor is the same on every shelf: it is base64url of bytes that sort as the captures do, by ring key, SURT, time and record
// id. So a list that began at one peer goes on at another, and what several peers gave can be put in order.

import type { Digest } from '../../model/digest.ts'
import type { RingKey } from '../../model/ring-key.ts'

export interface ShelfCapture {
  readonly url: string
  readonly surt: string
  readonly capturedAtMs: number
  readonly status: number
  readonly mime: string
  readonly kind: CaptureKind
  /** undefined when the payload was never known. */
  readonly content: { readonly digest: Digest; readonly overflow: number } | undefined
  readonly payloadBytes: number
  readonly storedBytes: number
  readonly recordId: string
  /** The peer that brought it into the network; undefined for what was crawled. */
  readonly importedBy?: string | undefined
  readonly isImportedRevisit?: boolean | undefined
  /** Another capture of its URL and second is held to be the first. */
  readonly isLater?: boolean | undefined
  /** See same-second.ts. */
  readonly heardAtMs?: number | undefined
  /** Names this capture, and the place to go on from in a list. */
  readonly cursor: string
}

export const captureKinds = ['full', 'plain', 'same', 'delta', 'not-modified'] as const
export type CaptureKind = (typeof captureKinds)[number]

/** Of one site, which is kept together. A name with many sites under it is asked for by arcs. */
export type SiteSelection =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'prefix'; readonly url: string }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'site'; readonly site: string }

/** Or of a stretch of the ring, both ends included. */
export type ShelfSelection = SiteSelection | ArcSelection

export interface ArcSelection {
  readonly kind: 'arc'
  readonly from: RingKey
  readonly upTo: RingKey
  /** Only what lies under this name. */
  readonly domain?: string | undefined
}

export interface TimeRange {
  /** From `fromMs` (included) to `toMs` (excluded). */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
}

export interface ListOptions extends TimeRange {
  /** Newest first; only for the versions of a URL. */
  readonly reverse?: boolean | undefined
  /** The cursor of the last capture seen: the list goes on behind it. */
  readonly after?: string | undefined
}

export interface Reading {
  /** Status line and headers as they came; undefined when the capture came without HTTP. */
  readonly head: Uint8Array | undefined
  readonly sizeBytes: number
  /** Verified as it flows: what is wrong is not delivered to its end. */
  payload(): AsyncIterable<Uint8Array>
}

/** What a peer keeps itself. */
export interface LocalShelf {
  list(selection: ShelfSelection, options: ListOptions & { limit: number }): Iterable<ShelfCapture>
  /** Whether what is listed is all that the network keeps of it. */
  isComplete(selection: ShelfSelection): boolean
  /** Rejects with a PolyhistorError when it is not there, or damaged. */
  read(cursor: string): Promise<Reading>
  /** The capture as a stretch of a WARC file: as it is stored or, `isWhole`, with its payload. Rejects like `read`. */
  records(cursor: string, isWhole: boolean): Promise<AsyncIterable<Uint8Array>>
}
