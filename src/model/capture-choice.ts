// Which capture a URL and a time mean: the same for replay, `get`, the interfaces and CDX.
//
// A whole timestamp: the capture of that very second, if there is one; else the nearest in time, the earlier of two equally
// near. A time that is cut short (`2020`): the latest capture within it; if there is none, the nearest to it. No time: the
// newest. With the policy `not-newer`, never one behind the time.
// A span that is cut short is left only when nothing lies within it, whatever is preferred below.
// An error (4xx, 5xx) loses against a good capture near by: within the span, where the time is cut short; else within 30 days of it. The
// very second that was asked for is meant, error or not.
// Captures of http and https, with and without www, in capitals or not share a key: the spelling that was asked for is preferred
// among those of the same visit, and a redirect that only leads from one spelling to the other never stands in for the page
// itself, or readers would be sent in circles.
// What was crawled is preferred to what somebody imported: within the same second; where the nearest one is imported, when a crawled
// one lies within a day of it; and when no time is given, always. Of two captures of one URL and second, the one that is
// held to be the first is meant, whatever came later.

import type { ToldCapture } from './capture-json.ts'
import type { Awaitable } from './listed.ts'
import type { TimeSpan } from './timestamp.ts'
import type { Url } from './url/url.ts'

export type DatedCapture = Pick<ToldCapture, 'url' | 'capturedAtMs' | 'status' | 'importedBy' | 'isLater'>

/** The versions of a URL from `fromMs` (included) to `toMs` (excluded), oldest first unless reversed. */
export type Versions<T> = (
  url: Url,
  range: {
    readonly fromMs?: number | undefined
    readonly toMs?: number | undefined
    readonly reverse?: boolean | undefined
    readonly limit: number
  },
) => Awaitable<readonly T[]>

interface CaptureRequest {
  readonly url: Url
  /** What digits stand for; `anyTime` when none were given. */
  readonly span: TimeSpan
  readonly policy: 'nearest' | 'not-newer'
}

/** Its end is later than any capture. */
export const anyTime: TimeSpan = { fromMs: Date.UTC(0, 0), toMs: Date.UTC(9999, 0) }

/** Captures of other spellings that are looked through on each side. */
const neighboursMax = 40
/** A spelling asked for is preferred to another one that is nearer by no more than this. */
const sameVisitMs = 60_000
/** A crawled capture stands in for an imported one that is nearer by no more than this. */
const importedMs = 86_400_000
/** Captures that are looked through for a crawled one, on each side. */
const importedMax = 1_000
/** A good capture stands in for an error that is nearer by no more than this. */
const nearByMs = 30 * 86_400_000
/** Captures that are looked through for a good one, on each side. */
const nearByMax = 200
/** Captures of one second that are looked at together, more than there can be of a millisecond, and how often. */
const secondMax = 1_000
const secondPagesMax = 64
/** A time of 14 digits or more means a moment. */
const momentMs = 1_000

/** undefined when there is none. */
export async function chooseCapture<T extends DatedCapture>(
  versions: Versions<T>,
  request: CaptureRequest,
): Promise<T | undefined> {
  const { url, span } = request
  if (span.toMs - span.fromMs <= momentMs) {
    const sameSecond = mostTrustedFirst(await ofSecond(versions, url, span.fromMs))
    const exact = sameSecond.find((capture) => capture.url === url.href)
    if (exact !== undefined) return exact
    const other = sameSecond.find((capture) => !isRedirect(capture))
    if (other !== undefined) return other
  }
  const near = await nearestTrusted(versions, request)
  if (near === undefined) return undefined
  const chosen = near.url === url.href ? near : ((await bestSpelling(versions, near, request)) ?? near)
  return isError(chosen) ? ((await goodNearBy(versions, chosen, request)) ?? chosen) : chosen
}

/** In place of an error. What was crawled is not replaced by what somebody imported. */
async function goodNearBy<T extends DatedCapture>(
  versions: Versions<T>,
  error: T,
  { url, span, policy }: CaptureRequest,
): Promise<T | undefined> {
  const isWithin = isCutShort(span) && isInside(error, span)
  const fromMs = isWithin ? span.fromMs : error.capturedAtMs - nearByMs
  const latestMs = isWithin ? span.toMs : error.capturedAtMs + nearByMs
  const toMs = policy === 'not-newer' ? Math.min(latestMs, span.toMs) : latestMs
  const middleMs = error.capturedAtMs
  const [before, after] = await Promise.all([
    versions(url, { fromMs, toMs: middleMs, reverse: true, limit: nearByMax }),
    versions(url, { fromMs: middleMs, toMs, limit: nearByMax }),
  ])
  return nearestOf(
    [...before, ...after].filter(
      (other) =>
        !isError(other) &&
        (other.url === url.href || !isRedirect(other)) &&
        (error.importedBy !== undefined || other.importedBy === undefined),
    ),
    span,
  )
}

function isError({ status }: DatedCapture): boolean {
  return status >= 400
}

/** Neither a moment nor all time. */
function isCutShort({ fromMs, toMs }: TimeSpan): boolean {
  return toMs - fromMs > momentMs && toMs < anyTime.toMs
}

function isInside({ capturedAtMs }: DatedCapture, { fromMs, toMs }: TimeSpan): boolean {
  return capturedAtMs >= fromMs && capturedAtMs < toMs
}

/** What may stand in for `near`: nothing outside of a span that it lies in. */
function standIns<T extends DatedCapture>(captures: readonly T[], near: T, span: TimeSpan): readonly T[] {
  if (!isCutShort(span) || !isInside(near, span)) return captures
  return captures.filter((capture) => isInside(capture, span))
}

/** As far as they are needed: others may have brought very many of one second, and the first of all lies behind them. */
async function ofSecond<T extends DatedCapture>(
  versions: Versions<T>,
  url: Url,
  secondStartMs: number,
): Promise<readonly T[]> {
  const toMs = secondStartMs + momentMs
  const isFirst = (capture: T): boolean =>
    capture.url === url.href && !capture.isLater && capture.importedBy === undefined
  let seen: readonly T[] = []
  for (let page = 0, fromMs = secondStartMs; page < secondPagesMax; page++) {
    const some = await versions(url, { fromMs, toMs, limit: secondMax })
    seen = page === 0 ? some : [...seen, ...some]
    const last = some.at(-1)
    if (last === undefined || some.length < secondMax || some.some(isFirst)) break
    fromMs = Math.max(fromMs + 1, last.capturedAtMs)
  }
  return seen
}

/** The nearest, or a crawled one in place of it. */
async function nearestTrusted<T extends DatedCapture>(
  versions: Versions<T>,
  request: CaptureRequest,
): Promise<T | undefined> {
  const { span } = request
  const near = nearestOf(await around(versions, request, 1), span)
  if (near?.importedBy === undefined) return near
  const neighbours = standIns(await around(versions, request, importedMax), near, span)
  const crawled = nearestOf(
    neighbours.filter(({ importedBy }) => importedBy === undefined),
    span,
  )
  if (crawled === undefined) return near
  const isClose = Math.abs(crawled.capturedAtMs - near.capturedAtMs) <= importedMs
  return isClose || span.toMs >= anyTime.toMs ? crawled : near
}

function mostTrustedFirst<T extends DatedCapture>(captures: readonly T[]): readonly T[] {
  const doubts = ({ importedBy, isLater }: T): number =>
    (importedBy === undefined ? 0 : 2) + (isLater ? 1 : 0)
  return captures.length < 2 ? captures : [...captures].sort((one, other) => doubts(one) - doubts(other))
}

async function bestSpelling<T extends DatedCapture>(
  versions: Versions<T>,
  near: T,
  request: CaptureRequest,
): Promise<T | undefined> {
  const { url, span } = request
  const neighbours = standIns(await around(versions, request, neighboursMax), near, span)
  const sameUrl = nearestOf(
    neighbours.filter((capture) => capture.url === url.href),
    span,
  )
  const isNear = sameUrl && remoteness(sameUrl, span) - remoteness(near, span) <= sameVisitMs
  if (sameUrl && (isNear || isRedirect(near))) return sameUrl
  if (!isRedirect(near)) return near
  return (
    nearestOf(
      neighbours.filter((capture) => !isRedirect(capture)),
      span,
    ) ?? near
  )
}

/** So many on each side of a moment. Both sides are asked for together: they may come from afar. */
function around<T>(
  versions: Versions<T>,
  { url, span: { toMs }, policy }: CaptureRequest,
  limit: number,
): Awaitable<readonly T[]> {
  const before = versions(url, { toMs, reverse: true, limit })
  const after = policy === 'not-newer' ? [] : versions(url, { fromMs: toMs, limit })
  if (!(before instanceof Promise || after instanceof Promise)) return [...before, ...after]
  return Promise.all([before, after]).then((sides) => sides.flat())
}

function nearestOf<T extends DatedCapture>(captures: readonly T[], span: TimeSpan): T | undefined {
  let nearest: T | undefined
  for (const capture of captures) {
    if (nearest === undefined) nearest = capture
    else {
      const nearer = remoteness(capture, span) - remoteness(nearest, span)
      if (nearer < 0 || (nearer === 0 && capture.capturedAtMs < nearest.capturedAtMs)) nearest = capture
    }
  }
  return nearest
}

/** How far a capture is from a time: within a span that is cut short, from its end; outside, as far from its nearer end as
 * whatever lies outside is behind all that is within. */
export function remoteness({ capturedAtMs }: Pick<DatedCapture, 'capturedAtMs'>, span: TimeSpan): number {
  const { atMs, behindMs } = momentOf(span)
  return capturedAtMs <= atMs ? atMs - capturedAtMs : capturedAtMs - atMs + behindMs
}

/** The moment that a span means, and how much further off than it is whatever lies behind it counts. */
export function momentOf({ fromMs, toMs }: TimeSpan): { readonly atMs: number; readonly behindMs: number } {
  const isMoment = toMs - fromMs <= momentMs
  return isMoment ? { atMs: fromMs, behindMs: 0 } : { atMs: toMs - 1, behindMs: toMs - 1 - fromMs }
}

export function isRedirect({ status }: { readonly status: number }): boolean {
  return status >= 300 && status < 400 && status !== 304
}
