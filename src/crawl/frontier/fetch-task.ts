// Fetch task: a URL handed out to be fetched now, and the result.
//
// A task is in memory only: its URL stays queued on disk until it is completed, so that it is handed out again after a crash.

import type { Url } from '../../model/url/url.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { Observation } from './changes/change-recorder.ts'
import type { QueueEntry } from './lanes/queue-entry.ts'

export interface FetchTask extends Readonly<Omit<QueueEntry, 'href'>> {
  /** Unlike any other of this process. */
  readonly id: number
  readonly url: Url
  readonly jobId: string
}

export type TaskAnswer =
  | { readonly kind: 'task'; readonly task: FetchTask }
  /** Given up without being fetched, with the reason; to be logged. Ask again at once. */
  | { readonly kind: 'dropped'; readonly dropped: readonly Dropped[] }
  /** A rule denies them, and they wait until none does; to be logged. Ask again at once. */
  | { readonly kind: 'held'; readonly held: readonly Dropped[] }
  /** Nothing may be fetched before this time, by the frontier's own clock: see Frontier.nowMs. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** Everything left waits for tasks that are out. */
  | { readonly kind: 'busy' }
  /** No running job has anything left. */
  | { readonly kind: 'idle' }

export interface Dropped {
  readonly href: string
  readonly via: string
  readonly jobId: string
  readonly code: string
  readonly reason: string
}

/** How a fetch ended. */
export interface MissedPart {
  readonly href: string
  readonly missed: MissedReason
}

export interface FetchResult {
  /** `fetched`: there is a response, whatever its status. `failed`: there is none, or a cut one.
   * `refused`: it was not asked for (robots, address guard); the site was not touched.
   * `unreached`: it was not asked for, since robots.txt of its host cannot be had. */
  readonly outcome: 'fetched' | 'failed' | 'refused' | 'unreached'
  readonly status?: number | undefined
  /** Bytes received. */
  readonly bytes?: number | undefined
  /** From request to the end of the response. */
  readonly responseMs?: number | undefined
  /** When the response ended, by Frontier.nowMs; when it is completed unless told. */
  readonly endedAtMs?: number | undefined
  /** As the response has it. */
  readonly retryAfter?: string | undefined
  /** Where the connection went. */
  readonly address?: string | undefined
  /** Whether trying again may help; by default yes for failures, and for 429 and 503. */
  readonly retry?: 'never' | 'later' | undefined
  /** Of a failure: the host did answer, though not so that it could be read. It is not down. */
  readonly hasAnswered?: boolean | undefined
  /** Why nothing of it is kept, where that is so. */
  readonly missed?: MissedReason | undefined
  /** What is missed of its parts, which are no URLs of the frontier. */
  readonly missedParts?: readonly MissedPart[] | undefined
  /** The payload is one that another URL of this site gave as well: endless pages repeat themselves. */
  readonly isRepeated?: boolean | undefined
  /** Of what is kept, for the log of changes. */
  readonly observed?: Observation | undefined
}

/** What became of a completed task. */
export type Completion =
  | { readonly kind: 'done' }
  /** Queued again; the host is left alone until then. So many attempts may still be made. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly attemptsLeft: number }
  /** It was tried often enough. */
  | { readonly kind: 'gave-up'; readonly reason: string }
