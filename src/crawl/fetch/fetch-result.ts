// What a request means for the pace of its host, in the words of the frontier.

import type { FetchResult } from '../frontier/lease.ts'
import type { FetchOutcome } from './outcome.ts'

/** `endedAtMs` by the frontier's clock: keeping what came takes time too, and is not the host's. */
export function fetchResultOf(outcome: FetchOutcome, endedAtMs: number): FetchResult {
  if (outcome.kind === 'failed')
    return { outcome: 'failed', address: outcome.address, retry: outcome.retry, endedAtMs }
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
