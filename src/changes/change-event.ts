// Change event: what a capture showed of its URL that was not known of it before.
//
// An event is of one capture (or, of a page that is gone because it failed, of one visit), and its id is made of that: whoever
// gets it twice, from two peers or after a crash, can tell. Events of a site are numbered in their order, without holes.

export const changeKinds = ['new', 'changed', 'moved', 'gone', 'back'] as const
export type ChangeKind = (typeof changeKinds)[number]

export interface ChangeEvent extends ChangeDetails {
  readonly id: string
  readonly kind: ChangeKind
  readonly url: string
  readonly site: string
  /** Of the capture, RFC 3339. */
  readonly time: string
  /** Only parts differ that differ at every visit: clocks, tokens, counters. */
  readonly cosmetic: boolean
  /** Its number among the events of its site, from 1. */
  readonly sequence: number
  /** The lease under which its site's peer wrote it; 0 where there are no leases. */
  readonly epoch: number
  readonly status?: number | undefined
  readonly mime?: string | undefined
  readonly digestBefore?: string | undefined
  readonly digest?: string | undefined
  readonly bytesBefore?: number | undefined
  readonly bytes?: number | undefined
  /** Of redirects. */
  readonly targetBefore?: string | undefined
  readonly target?: string | undefined
  /** Visits in a row that brought nothing, where the page is gone for that. */
  readonly failures?: number | undefined
  /** The job that asked for the visit; none when it was to keep the page fresh. */
  readonly job?: string | undefined
}

/** Why a part of a page that changed is no change of the page. Stored as their places in this list: append only. */
export const ignoredReasons = [
  'nonce',
  'session token',
  'build',
  'time passed',
  'differs at every visit',
  'differs on every page of the site',
  'rotates',
  'not shown',
] as const
export type IgnoredReason = (typeof ignoredReasons)[number]

/** A part of a page that changed and does not count. */
export interface IgnoredPart {
  /** Element names and classes, from the outermost on. */
  readonly path: string
  readonly reason: IgnoredReason
  readonly before: string
  readonly after: string
}

/** What two versions of a page differ in, as far as it is known. */
export interface ChangeDetails {
  readonly cosmetic?: boolean | undefined
  /** Of the words of both, how many stand in one only: 0 to 1. */
  readonly wordShare?: number | undefined
  readonly linksAdded?: number | undefined
  readonly linksRemoved?: number | undefined
  readonly titleBefore?: string | undefined
  readonly title?: string | undefined
  /** The first of the parts that changed and do not count; of a real change, those beside what is real. */
  readonly ignored?: readonly IgnoredPart[] | undefined
}
