// The heads of answers, kept to what common clients take: Node's refuses more than 16 kB, Python's more than 100 headers.
//
// Two things make a head large. Memento's links name the archived URL five times and more, and what the archived answer said
// is handed on as X-Archive-Orig-…. Links beyond original, TimeGate and TimeMap go first, where the URL is long; then headers
// of the archived answer, the last first; then whatever else repeats the URL. What an answer cannot do without stays, however
// long it is: where it leads to (Location).

import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { Header } from './answers.ts'

/** Less than 16 kB and 100: the server adds a status line, a date and how the connection goes on. */
const headBytesMax = 15 * 1024
const headersMax = 90
/** Of name and value: colon, space and line end. */
const separatorBytes = 4
/** With more than this the links are what makes the head large. */
const linkBytesMax = 4 * 1024
const originalPattern = /^x-archive-orig-/i
/** Between two links of ours. No URL in them has a `<`. */
const betweenLinks = /, (?=<)/
const requiredLinkPattern = /; rel="(?:original|timegate|timemap)"/

export function boundedHead(answer: HttpAnswer): HttpAnswer {
  const { headers } = answer
  if (fits(headers)) return answer
  return { ...answer, headers: withFewerLinks(withFewerOriginals(withRequiredLinks(headers))) }
}

function fits(headers: readonly Header[]): boolean {
  return headers.length <= headersMax && bytesOf(headers) <= headBytesMax
}

function bytesOf(headers: readonly Header[]): number {
  let bytes = 0
  for (const header of headers) bytes += header[0].length + header[1].length + separatorBytes
  return bytes
}

function isLink([name]: Header): boolean {
  return name.toLowerCase() === 'link'
}

function withRequiredLinks(headers: readonly Header[]): readonly Header[] {
  return headers.map((header) => {
    const [name, value] = header
    if (!isLink(header) || value.length <= linkBytesMax) return header
    const required = value.split(betweenLinks).filter((link) => requiredLinkPattern.test(link))
    return required.length === 0 ? header : [name, required.join(', ')]
  })
}

/** As many of them as there is room for beside all others. */
function withFewerOriginals(headers: readonly Header[]): readonly Header[] {
  const others = headers.filter(([name]) => !originalPattern.test(name))
  let roomBytes = headBytesMax - bytesOf(others)
  let room = headersMax - others.length
  return headers.filter((header) => {
    if (!originalPattern.test(header[0])) return true
    roomBytes -= bytesOf([header])
    return --room >= 0 && roomBytes >= 0
  })
}

function withFewerLinks(headers: readonly Header[]): readonly Header[] {
  if (bytesOf(headers) <= headBytesMax) return headers
  const others = headers.filter((header) => !isLink(header) && header[0] !== 'Content-Location')
  let roomBytes = headBytesMax - bytesOf(others)
  const links = headers.filter(isLink).flatMap(([, value]) => value.split(betweenLinks))
  const kept = links.filter((link) => {
    roomBytes -= link.length + separatorBytes
    return roomBytes >= 'Link'.length
  })
  return kept.length === 0 ? others : [...others, ['Link', kept.join(', ')]]
}
