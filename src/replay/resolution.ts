// Resolution: which capture an address means.
//
// The one of that very second, if there is one; else the nearest in time, the earlier of two equally near; with the policy
// `not-newer`, the newest that is not newer. Captures of http and https, with and without www, share a key: the spelling
// that was asked for is preferred among those of the same moment, and a redirect that only leads from one spelling to the
// other never stands in for the page itself, or readers would be sent in circles.

import type { Awaitable } from '../record/listed.ts'
import type { Url } from '../record/url.ts'
import type { CaptureSource, ReplayCapture } from './capture-source.ts'
import type { ReplayAddress } from './replay-address.ts'

/** Captures of other spellings that are looked through on each side. */
const neighboursMax = 40
/** A spelling asked for is preferred to another one that is nearer by no more than this. */
const sameVisitMs = 60_000

/** undefined when there is none. */
export async function resolveCapture(
  source: CaptureSource,
  { url, span, policy }: Pick<ReplayAddress, 'url' | 'span' | 'policy'>,
): Promise<ReplayCapture | undefined> {
  const isMoment = span.toMs - span.fromMs <= 1_000
  if (isMoment && span.toMs > span.fromMs) {
    const sameSecond = await source.versions(url, {
      fromMs: span.fromMs,
      toMs: span.fromMs + 1_000,
      limit: 8,
    })
    const exact = sameSecond.find((capture) => capture.url === url.href)
    if (exact !== undefined) return exact
    const other = sameSecond.find((capture) => !isRedirect(capture))
    if (other !== undefined) return other
  }
  // A time that is cut short means its latest moment, as in other archives: `2020` asks for the end of 2020.
  const atMs = isMoment ? span.fromMs : span.toMs - 1
  const near = nearestOf(await around(source, url, span.toMs, policy, 1), atMs)
  if (near === undefined || near.url === url.href) return near
  return bestSpelling(source, url, near, { atMs, beforeMs: span.toMs, policy })
}

async function bestSpelling(
  source: CaptureSource,
  url: Url,
  near: ReplayCapture,
  { atMs, beforeMs, policy }: { atMs: number; beforeMs: number; policy: ReplayAddress['policy'] },
): Promise<ReplayCapture | undefined> {
  const neighbours = await around(source, url, beforeMs, policy, neighboursMax)
  const sameUrl = nearestOf(
    neighbours.filter((capture) => capture.url === url.href),
    atMs,
  )
  const nearMs = Math.abs(near.capturedAtMs - atMs)
  if (sameUrl && (isRedirect(near) || Math.abs(sameUrl.capturedAtMs - atMs) - nearMs <= sameVisitMs))
    return sameUrl
  if (!isRedirect(near)) return near
  return (
    nearestOf(
      neighbours.filter((capture) => !isRedirect(capture)),
      atMs,
    ) ?? near
  )
}

/** So many on each side of a moment. Both sides are asked for together: they may come from afar. */
function around(
  source: CaptureSource,
  url: Url,
  atMs: number,
  policy: ReplayAddress['policy'],
  limit: number,
): Awaitable<readonly ReplayCapture[]> {
  const before = source.versions(url, { toMs: atMs, reverse: true, limit })
  const after = policy === 'not-newer' ? [] : source.versions(url, { fromMs: atMs, limit })
  if (!(before instanceof Promise || after instanceof Promise)) return [...before, ...after]
  return Promise.all([before, after]).then((sides) => sides.flat())
}

function nearestOf(captures: readonly ReplayCapture[], atMs: number): ReplayCapture | undefined {
  let nearest: ReplayCapture | undefined
  for (const capture of captures) {
    if (nearest === undefined) nearest = capture
    else {
      const nearer = Math.abs(capture.capturedAtMs - atMs) - Math.abs(nearest.capturedAtMs - atMs)
      if (nearer < 0 || (nearer === 0 && capture.capturedAtMs < nearest.capturedAtMs)) nearest = capture
    }
  }
  return nearest
}

export function isRedirect({ status }: ReplayCapture): boolean {
  return status >= 300 && status < 400 && status !== 304
}
