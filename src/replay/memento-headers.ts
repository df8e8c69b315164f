// Memento headers on content (RFC 7089): when it was captured, of what, and where other versions are. Which come before and
// after is told by the archive's frame around it and by the TimeMap: that changes, and this is kept.

import { fetchedUrl } from '../formats/http/request-query.ts'
import { printTimestamp } from '../model/timestamp.ts'
import type { Header } from './archived-head.ts'
import type { ReplayCapture } from './capture-source.ts'
import type { ReplayOrigins } from './replay-origins.ts'

export function mementoHeaders(
  { archive }: ReplayOrigins,
  { url: filed, capturedAtMs }: ReplayCapture,
): Header[] {
  const url = fetchedUrl(filed)
  const datetime = new Date(capturedAtMs).toUTCString()
  const links = [
    `<${url}>; rel="original"`,
    `<${archive}/timegate/${url}>; rel="timegate"`,
    `<${archive}/timemap/link/${url}>; rel="timemap"; type="application/link-format"`,
    `<${archive}/web/${printTimestamp(capturedAtMs)}/${url}>; rel="memento"; datetime="${datetime}"`,
    `<${archive}/web/${printTimestamp(capturedAtMs)}id_/${url}>; rel="alternate"; title="raw memento"`,
  ]
  return [
    ['Memento-Datetime', datetime],
    ['Link', links.join(', ')],
  ]
}
