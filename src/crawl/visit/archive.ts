// Where captures go: what the crawler needs of whoever keeps them. `app/` puts the store behind it.

import type { ViewKind } from '../../formats/warc/page-views.ts'
import type { RenderedPages } from '../../model/rendered-page.ts'
import type { Url } from '../../model/url/url.ts'
import type { Validators } from '../fetch/conditional.ts'
import type { FetchedCapture } from '../fetch/outcome.ts'
import type { Observation } from '../frontier/changes/change-recorder.ts'
import type { ReadyRecords } from './page-work.ts'

/** The newest version of a URL that the archive has. */
export interface LastVersion {
  readonly url: string
  readonly capturedAtMs: number
  readonly recordId: string
  /** To ask the server whether it still stands; none when it was an error, or of another spelling of the URL. */
  readonly validators: Validators
}

export interface CrawledCapture extends FetchedCapture {
  /** The server said (304) that this version still stands. */
  readonly notModified?: LastVersion | undefined
  /** Made beforehand, for an archive that wants them. */
  readonly records?: ReadyRecords | undefined
}

/** `new`: the first of its URL. `changed`: another payload than its last one had. `same`: no other. `hidden`: the URL was
 * taken down, and nothing is kept. */
export type KeptAs = 'new' | 'changed' | 'same' | 'hidden'

export interface Kept {
  readonly as: KeptAs
  /** The payload was known already, of this URL or another. */
  readonly isKnownPayload: boolean
  /** For the log of changes; where it redirects to is the visit's to say. */
  readonly observed?: Observation | undefined
}

export interface ReadVersion {
  readonly head: Uint8Array
  readonly payload: AsyncIterable<Uint8Array>
  /** undefined when it is not certain. */
  readonly payloadBytes: number | undefined
}

/** Gives what the others give. */
export type UntilOthers = <T>(others: Promise<T>) => Promise<T>

/** What a browser saw of a page. */
export interface PageViewToKeep {
  readonly page: Url
  readonly kind: ViewKind
  /** That of the page's capture. */
  readonly capturedAtMs: number
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface Archive {
  /** Resolves when it is durable, or when it cannot be kept: its URL is too long, or was taken down. True when the same was known
   * already, of this page or another. */
  keepView(view: PageViewToKeep, untilOthers?: UntilOthers): Promise<boolean>
  /** What browsers read of its pages. */
  readonly rendered: RenderedPages
  lastVersion(url: Url): Promise<LastVersion | undefined>
  /** Resolves when it is durable. `last`: what lastVersion told, for those who have asked; it is not looked up again. What other
   * peers do for that is waited for by way of `untilOthers`. */
  keep(capture: CrawledCapture, last?: LastVersion | 'none', untilOthers?: UntilOthers): Promise<Kept>
  /** Head and payload of a version, for the links of a page that has not changed. */
  read(version: LastVersion): Promise<ReadVersion>
}
