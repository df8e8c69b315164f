// Page work: what another thread does with a response, all in one call, since handing it over costs as much as a part of the
// work.
//
// Plain data in and out. How records are made is the archive's business: here they are only asked for and passed on.

import type { FetchedCapture } from '../fetch/outcome.ts'
import type { ExtractedLinks } from '../links/extract-links.ts'
import type { LinkWork } from '../links/link-work.ts'

export interface PageWork extends LinkWork {
  /** Given when records are wanted; `bytes` are the whole response then. */
  readonly capture?: CaptureFacts | undefined
}

/** All of a capture but what stands in the work already. */
export interface CaptureFacts extends Omit<FetchedCapture, 'url' | 'block' | 'request'> {
  /** One character a byte: bytes that lie in Buffer's pool would take all of it with them. */
  readonly request: string
}

export interface PageRead {
  readonly links: ExtractedLinks
  readonly records: ReadyRecords | undefined
  /** Those of the work, back again: who handed them over has them no more. */
  readonly bytes: Uint8Array
}

/** The records of a capture as they are written when its payload is new. Hashes with one character a byte: a third of what handing
 * over a page costs went to making memory of their own for them (bench/results/crawl.md). */
export interface ReadyRecords {
  readonly recordId: string
  /** SHA-256. */
  readonly payloadDigest: string
  readonly bytes: Uint8Array
  /** Of the first record. */
  readonly mainBytes: number
  /** Where they are signed: by whom, and what stands for them in the log. */
  readonly signature?: string | undefined
  readonly logLeaf?: string | undefined
}
