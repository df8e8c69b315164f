// The one table from error codes to HTTP statuses. A code that is not listed is a fault of ours: 500.

import { PolyhistorError } from '../errors.ts'

/** By the first words of the code, the longest match first. */
const byCode: Record<string, number> = {
  'request-malformed': 400,
  'request-bad-parameter': 400,
  'request-not-json': 415,
  'http-body-too-large': 413,
  'http-body-cut': 400,
  'route-unknown': 404,
  'method-not-allowed': 405,
  'host-not-ours': 421,
  'owner-link-spent': 410,
  'path-not-allowed': 403,
  'token-missing': 401,
  'token-wrong': 403,
  'origin-not-ours': 403,
  'not-archived': 404,
  'taken-down': 451,
  'job-unknown': 404,
  'visit-rules-full': 409,
  'export-unknown': 404,
  'job-too-large': 400,
  'job-still-ending': 409,
  'peer-not-away': 409,
  'crawling-stopped': 503,
  'too-many-streams': 503,
  usage: 400,
  'configuration-invalid': 400,
  url: 400,
  'url-too-long': 414,
  timestamp: 400,
  digest: 400,
  address: 400,
  'address-range': 400,
  scope: 400,
  fresh: 400,
  replay: 400,
  'replay-url-too-long': 414,
  'crawl-job-unknown': 404,
  'crawl-log-failure': 503,
  'store-bad': 400,
  'store-not-found': 404,
  'store-content-missing': 404,
  'store-content-damaged': 500,
  'store-taken-down': 451,
  'store-takedown-final': 409,
  'store-unknown': 404,
  'store-no-room': 507,
  'store-volume-missing': 503,
  'store-in-use': 503,
  'store-closed': 503,
  'disk-not-found': 404,
  'disk-not-permitted': 403,
  'disk-full': 507,
  'index-full': 507,
}

export function statusOf(error: unknown): number {
  if (!(error instanceof PolyhistorError)) return 500
  const words = error.code.split('-')
  for (let length = words.length; length > 0; length--) {
    const status = byCode[words.slice(0, length).join('-')]
    if (status !== undefined) return status
  }
  return error.retry === 'later' ? 503 : 500
}
