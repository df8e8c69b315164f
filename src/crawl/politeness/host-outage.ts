// Host outage: a host that cannot be reached is given up for a while, and everything queued for it with it.
//
// A host that refuses connections, has no address or no certificate to be trusted is given up at the first try: another try
// a minute later costs the job that minute, and hardly ever helps. So is any host that did not answer since it was given up
// the last time. A host that answered lately is having a short trouble, and gets the usual back-off (host-pace.ts).
// An outage lasts longer each time, and never as long as the first pause before a failed page is visited again
// (page-visits.ts): so those visits do ask. A new job that names the host asks at once: see frontier/host-abandonment.ts.
// A host is http and https together, and often only one of them answers: an outage is of one of them, or of both.
// Pure, plain JSON, kept with the host.

import { backOffMs } from '../../model/back-off.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'

/** What a URL of a host begins with. */
export type Scheme = 'http:' | 'https:'

export interface HostOutage extends MissedReason {
  /** undefined for both. */
  readonly scheme: Scheme | undefined
  readonly atMs: number
  readonly untilMs: number
  /** How often it was given up since it answered. */
  readonly times: number
}

export interface HostFailure extends MissedReason {
  /** undefined when it is the host that does not answer, whoever asks. */
  readonly scheme: Scheme | undefined
  readonly isFinal: boolean
}

const minuteMs = 60_000
const outageMsFirst = 10 * minuteMs
export const outageMsMax = 45 * minuteMs
/** A host that answered within this time is not given up at once. */
const answeredLatelyMs = 10 * minuteMs
/** Shorter than what a note of a host may hold: see entry-check.ts. */
const reasonCharsMax = 500

export function isGivenUpAtOnce(
  { code, isFinal }: HostFailure,
  last: HostOutage | undefined,
  answeredAtMs: number | undefined,
  nowMs: number,
): boolean {
  if (code === 'address-forbidden') return false
  if (answeredAtMs !== undefined && nowMs - answeredAtMs <= answeredLatelyMs) return false
  return code === 'connect-refused' || isFinal || last !== undefined
}

export function nextOutage(last: HostOutage | undefined, failure: HostFailure, nowMs: number): HostOutage {
  const { code, reason, scheme } = failure
  const isOther = isInForce(last, nowMs) && last.scheme !== scheme
  const times = (last?.times ?? 0) + (isOther ? 0 : 1)
  const lastsMs = backOffMs({ firstMs: outageMsFirst, longestMs: outageMsMax }, times)
  return {
    code,
    reason: reason.slice(0, reasonCharsMax),
    scheme: isOther || code === 'dns-not-found' ? undefined : scheme,
    atMs: nowMs,
    untilMs: nowMs + lastsMs,
    times,
  }
}

/** A clock that was ahead must not keep a host given up for years. */
export function isInForce(outage: HostOutage | undefined, nowMs: number): outage is HostOutage {
  return outage !== undefined && nowMs < outage.untilMs && outage.untilMs <= nowMs + outageMsMax
}

export function isOutFor(outage: HostOutage | undefined, href: string, nowMs: number): outage is HostOutage {
  return isInForce(outage, nowMs) && (outage.scheme === undefined || outage.scheme === schemeOf(href))
}

export function schemeOf(href: string): Scheme {
  return href.startsWith('https:') ? 'https:' : 'http:'
}
