// Memento headers on content (RFC 7089): when it was captured, of what, and where other versions are.

import { printTimestamp } from '../record/timestamp.ts'
import type { Header } from './archived-head.ts'
import type { ReplayCapture } from './capture-source.ts'
import type { ReplayOrigins } from './replay-origins.ts'

export interface Neighbours {
  readonly first?: ReplayCapture | undefined
  readonly last?: ReplayCapture | undefined
  readonly previous?: ReplayCapture | undefined
  readonly next?: ReplayCapture | undefined
}

export function mementoHeaders(
  { archive }: ReplayOrigins,
  capture: ReplayCapture,
  around: Neighbours = {},
): Header[] {
  const { url, capturedAtMs } = capture
  const links = [
    `<${url}>; rel="original"`,
    `<${archive}/timegate/${url}>; rel="timegate"`,
    `<${archive}/timemap/link/${url}>; rel="timemap"; type="application/link-format"`,
  ]
  const add = (rel: string, { url: of, capturedAtMs: at }: ReplayCapture) => {
    links.push(`<${archive}/web/${printTimestamp(at)}/${of}>; rel="${rel}"; datetime="${httpDate(at)}"`)
  }
  const { first, last, previous, next } = around
  if (first) add('first memento', first)
  if (previous && previous.cursor !== first?.cursor) add('prev memento', previous)
  add('memento', capture)
  if (next && next.cursor !== last?.cursor) add('next memento', next)
  if (last) add('last memento', last)
  return [
    ['Memento-Datetime', httpDate(capturedAtMs)],
    ['Link', links.join(', ')],
  ]
}

function httpDate(ms: number): string {
  return new Date(ms).toUTCString()
}
