// What a request means for the pace of its host, in the words of the frontier.

import type { Clock } from '../../platform/clock.ts'
import type { FetchResult } from '../frontier/fetch-task.ts'
import type { FetchFailureCode, FetchOutcome } from './outcome.ts'

/** There was an answer, but nothing could be made of it. */
const answered: ReadonlySet<FetchFailureCode> = new Set([
  'malformed-http',
  'head-too-large',
  'redirect-loop',
  'too-many-redirects',
  'bad-location',
])

/** When it ended is told by the frontier's clock: keeping what came takes time too, and is not the host's. */
export function fetchResultOf(
  outcome: FetchOutcome,
  clocks: { readonly frontier: { nowMs(): number }; readonly clock: Pick<Clock, 'monotonicMs'> },
): FetchResult {
  // In this order: if the process is held up between the two looks, the host is asked later, not sooner.
  const sinceMs = clocks.clock.monotonicMs() - outcome.endedAtMs
  const endedAtMs = clocks.frontier.nowMs() - sinceMs
  if (outcome.kind === 'failed')
    return {
      outcome: 'failed',
      address: outcome.address,
      retry: outcome.retry,
      hasAnswered: answered.has(outcome.code),
      missed: { code: outcome.code, reason: outcome.reason },
      endedAtMs,
    }
  return {
    outcome: 'fetched',
    status: outcome.status,
    bytes: outcome.bodyBytes,
    responseMs: outcome.responseMs,
    retryAfter: outcome.headers.get('Retry-After'),
    address: outcome.capture.ipAddress,
    endedAtMs,
  }
}
