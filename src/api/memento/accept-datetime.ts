// Dates as HTTP and Memento write them: `Tue, 20 Mar 2001 20:35:00 GMT`, and nothing else (RFC 7089, 2.1.1.1).

import { ApiError, quoted } from '../api-error.ts'

const pattern =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT$/

/** The moment that a client wants to see. */
export function parseAcceptDatetime(text: string): number {
  const match = pattern.exec(text.trim())
  const ms = match === null ? Number.NaN : Date.parse(text)
  // Date.parse takes 31 February for 3 March.
  if (match === null || Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(match[1])) {
    throw new ApiError(
      'request-bad-parameter',
      `Accept-Datetime is ${quoted(text)}, but must look like "Tue, 20 Mar 2001 20:35:00 GMT".`,
    )
  }
  return ms
}

export function printHttpDate(ms: number): string {
  return new Date(ms).toUTCString()
}
