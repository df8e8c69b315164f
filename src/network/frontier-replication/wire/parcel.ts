// Parcel: changes of one site on their way to a member, or a part of a copy of all of it.

import type { SiteId, Value } from '../site-frontier.ts'
import type { Stage } from '../stage.ts'

export interface Parcel {
  readonly site: SiteId
  /** The steward's epoch now, and the one in which it took the site over: all between are of one line. */
  readonly epoch: number
  readonly since: number
  /** Of this epoch it is known that a majority of its members have the site. */
  readonly established: number
  readonly load: Load
  readonly entries: readonly (readonly [name: string, value: Value | null])[]
}

export type Load =
  /** What has changed from one stage to another. */
  | { readonly kind: 'changes'; readonly after: Stage; readonly upTo: Stage }
  /** A part of a copy, by its number and counted from 0; it counts when the last part has come. */
  | {
      readonly kind: 'copy'
      readonly copy: number
      readonly index: number
      /** With the last part. */
      readonly upTo: Stage | undefined
    }

export type ParcelAnswer =
  | { readonly kind: 'taken' }
  /** It needs a copy of all. */
  | { readonly kind: 'behind' }
  /** Somebody else is steward, in this epoch. */
  | { readonly kind: 'superseded'; readonly epoch: number }
  /** Whether the sender is steward is not known here, and could not be found out yet. */
  | { readonly kind: 'later' }

/** What a peer has of a site; or that it takes the asker to be no steward any more, or does not know whether it is. */
export type RecallAnswer = Holding | 'superseded' | 'later'

/** What a peer has of a site. */
export interface Holding {
  readonly stage: Stage | undefined
  readonly established: number
}

export interface JobCard {
  readonly id: string
  readonly options: object
}

export type Question =
  /** Take these. */
  | { readonly kind: 'ship'; readonly jobs: readonly JobCard[]; readonly parcels: readonly Parcel[] }
  /** I am steward in this epoch: what have you, and take nothing of earlier epochs from now on. */
  | { readonly kind: 'recall'; readonly sites: readonly { site: SiteId; epoch: number }[] }
  /** Entries of the copy that you have at this stage. */
  | {
      readonly kind: 'fetch'
      readonly site: SiteId
      readonly stage: Stage
      readonly from: string | undefined
    }
  | { readonly kind: 'jobs'; readonly ids: readonly string[] }
  /** I have copies of these, which are yours by the ring. */
  | { readonly kind: 'holdings'; readonly sites: readonly { site: SiteId; stage: Stage }[] }

/** `keep`: it may be needed. `drop`: all members have it, and the asker is none of them. `coming`: nobody crawls the site yet. */
export type HoldingAnswer = 'keep' | 'drop' | 'coming'
