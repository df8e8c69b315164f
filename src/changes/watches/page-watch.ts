// Page watch: what somebody wants to be told of: a page, the pages below an address, or a site; which part of them, what to ignore, and
// how often they are to be visited for it. Belongs to the peer on which it was made.

import type { BrowserUse } from '../../model/jobs/site-rule.ts'
import type { ChangeKind } from '../change-event.ts'
import type { DifferenceRow } from '../page-change/difference/text-difference.ts'
import type { Watch } from '../page-change/watched/watched-part.ts'

export type WatchTarget =
  | { readonly kind: 'url'; readonly url: string }
  /** URLs that begin like this one. */
  | { readonly kind: 'prefix'; readonly url: string }
  | { readonly kind: 'site'; readonly site: string }

/** What its owner says of it. */
export interface WatchSettings {
  readonly target: WatchTarget
  /** '' for none. */
  readonly name: string
  readonly look: Watch
  /** Also of parts that differ at every visit. What a selector selects is always told. */
  readonly tellsCosmetic: boolean
  /** At least this often; 0: as often as the page's own changes ask for. */
  readonly everyMs: number
  readonly browser: BrowserUse | undefined
}

export interface PageWatch extends WatchSettings {
  readonly id: string
  readonly isPaused: boolean
  readonly createdAtMs: number
  /** Whoever knows it may read the feed of this watch. */
  readonly feedKey: string
}

/** Of the watched part. `unread`: a version could not be read, or is no text. */
export type PartState = 'found' | 'missing' | 'unread'

/** What the owner sees of how a watch does. */
export interface WatchState {
  /** At the last look. */
  readonly part: PartState | 'unknown'
  readonly isGone: boolean
  /** Where it redirects to, instead of showing something. */
  readonly redirectsTo: string | undefined
  /** Changes that were told since it was made. */
  readonly toldCount: number
  /** The last event of its pages, told or not. */
  readonly seenAtMs: number | undefined
  /** `wanted`: its page is not in the archive, and is to be fetched. */
  readonly archiving: 'none' | 'wanted' | 'asked'
  readonly job: string | undefined
}

export const stateAtFirst: WatchState = {
  part: 'unknown',
  isGone: false,
  redirectsTo: undefined,
  toldCount: 0,
  seenAtMs: undefined,
  archiving: 'none',
  job: undefined,
}

/** One event as a watch saw it. */
export interface WatchSighting {
  /** Of the event. */
  readonly id: Uint8Array
  readonly stamp: number
  readonly atMs: number
  readonly kind: ChangeKind
  readonly url: string
  /** The first that was seen of a watched page: what later versions are compared with. Nobody is told. */
  readonly isFirst: boolean
  readonly part: PartState
  readonly partBefore: PartState
  /** Of the watched part, 0 to 1; undefined where it is not known. */
  readonly wordShare: number | undefined
  /** The version that it was compared with. */
  readonly beforeMs: number | undefined
  readonly status: number | undefined
  readonly target: string | undefined
  readonly title: string | undefined
  readonly excerpt: Excerpt
}

/** The first of what changed. */
export interface Excerpt {
  readonly rows: readonly ExcerptRow[]
  readonly rowsLeftOut: number
}

export type ExcerptRow = Exclude<DifferenceRow, { kind: 'same' | 'gap' }>

export const noExcerpt: Excerpt = { rows: [], rowsLeftOut: 0 }

/** As people write it. */
export function targetText(target: WatchTarget): string {
  return target.kind === 'site' ? target.site : target.url
}

/** What a watch is called in lists, feeds and messages. */
export function watchTitle({ name, target }: Pick<PageWatch, 'name' | 'target'>): string {
  return name === '' ? targetText(target) : name
}
