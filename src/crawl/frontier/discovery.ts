// Discovery: a URL that somebody found or asked for, and what became of it when it was told to the frontier.

import type { Url } from '../../model/url/url.ts'
import type { FetchTask } from './fetch-task.ts'

/** Why a URL is wanted. `requisite`: a page needs it to look right. `redirect`: a fetched URL leads there. */
export type DiscoveryKind = 'seed' | 'navigation' | 'requisite' | 'sitemap' | 'redirect'

/** A URL found in what a task fetched. Depth, hops and origin follow from the task. */
export interface Link {
  readonly url: Url
  readonly kind: Exclude<DiscoveryKind, 'seed'>
  /** From 0 to 1, the most urgent first among those of a kind. A sitemap's own priority, for instance. */
  readonly priority?: number | undefined
  /** The page that it belongs to, where a script of it was fetched: requests of scripts are relative to that. */
  readonly via?: string | undefined
}

export interface Discovery {
  readonly url: Url
  readonly kind: DiscoveryKind
  readonly jobId: string
  /** Navigation steps from a seed. */
  readonly depth: number
  readonly priority?: number | undefined
  /** The href of where it was found; '' for a seed. */
  readonly via: string
  /** Steps from a page to what it needs (page → style sheet → font), and from redirect to redirect. */
  readonly requisiteHops?: number | undefined
  readonly redirects?: number | undefined
}

export type AddOutcome =
  | { readonly kind: 'queued' }
  | { readonly kind: 'seen' }
  /** It is another peer's, who decides. */
  | { readonly kind: 'forwarded' }
  /** Not wanted; `reason` tells a person why. */
  | { readonly kind: 'out-of-scope' | 'trap' | 'budget'; readonly reason: string }

export const queued: AddOutcome = { kind: 'queued' }
export const seen: AddOutcome = { kind: 'seen' }
export const forwarded: AddOutcome = { kind: 'forwarded' }

/** What a link means that was found in what the task fetched. */
export function discoveryOf(task: FetchTask, { url, kind, priority, via = task.url.href }: Link): Discovery {
  const { jobId, depth } = task
  if (kind === 'requisite') {
    return { url, kind, jobId, depth, priority, via, requisiteHops: task.requisiteHops + 1 }
  }
  if (kind !== 'redirect') return { url, kind, jobId, depth: depth + 1, priority, via }
  const { requisiteHops } = task
  const redirects = task.redirects + 1
  return {
    url,
    kind: task.kind === 'seed' ? 'seed' : kind,
    jobId,
    depth,
    priority,
    via,
    requisiteHops,
    redirects,
  }
}
