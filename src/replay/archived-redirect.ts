// Archived redirects: where a capture led, as an address of the archive, at the same time and of the same kind.

import type { Header } from './archived-head.ts'
import type { ReplayCapture } from './capture-source.ts'
import type { Modifier } from './replay-address.ts'
import { printReplayAddress } from './replay-address.ts'
import { ReplayError } from './replay-error.ts'

export interface RedirectPlace {
  readonly timestamp: string
  readonly modifier: Modifier
  /** What the reader asked for. */
  readonly url: string
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export function isArchivedRedirect(status: number, location: string | undefined): location is string {
  return location !== undefined && redirectStatuses.has(status)
}

/** undefined where it led to something that is no web page: then what came with it is shown. */
export function redirectHeader(
  capture: ReplayCapture,
  location: string,
  place: RedirectPlace,
): Header | undefined {
  // Headers are Latin-1 here; many servers write UTF-8.
  const written = /[\x80-\xff]/.test(location) ? Buffer.from(location, 'latin1').toString('utf8') : location
  const target = URL.parse(written.trim(), capture.url)
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined
  const withoutFragment = target.href.slice(0, target.href.length - target.hash.length)
  if (withoutFragment === place.url) {
    throw new ReplayError(
      'replay-redirect-loop',
      `${place.url} is in this archive only as a redirect to itself. Another time may have more.`,
    )
  }
  return ['Location', printReplayAddress(place.timestamp, place.modifier, target.href)]
}

/** `5; url=/next`, rewritten. */
export function refreshHeader(
  capture: ReplayCapture,
  refresh: string,
  place: RedirectPlace,
): Header | undefined {
  const match = /^([\s]*[0-9.]+[\s;,]+(?:url[\s]*=[\s]*)?["']?)([^"']+)/i.exec(refresh.slice(0, 4_096))
  if (match === null) return /^[\s0-9.;]{1,40}$/.test(refresh) ? ['Refresh', refresh.trim()] : undefined
  const target = URL.parse(match[2]!, capture.url)
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined
  return [
    'Refresh',
    match[1]!.replace(/["']/g, '') + printReplayAddress(place.timestamp, place.modifier, target.href),
  ]
}
