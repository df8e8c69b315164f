// A TimeMap as text: link-format (RFC 6690 as RFC 7089 uses it), one JSON document as Memento aggregators write it, or
// CDXJ lines with a head of `!` lines.

import { type ArchivedCapture, isRevisit } from '../../model/archive.ts'
import { printDigest } from '../../model/digest.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import { printHttpDate } from './accept-datetime.ts'
import { type MementoLinks, mementoLink, type TimeMapFormat } from './memento-links.ts'

export interface TimeMapPart {
  readonly url: string
  /** Where this part begins; undefined for the first. */
  readonly fromMs: number | undefined
  /** Those of this part, oldest first; at least one. */
  readonly captures: readonly ArchivedCapture[]
  /** Of all parts. */
  readonly first: ArchivedCapture
  readonly last: ArchivedCapture
  /** The first of the next part. */
  readonly next: ArchivedCapture | undefined
}

export const timeMapTypes: Record<TimeMapFormat, string> = {
  link: 'application/link-format',
  json: 'application/json; charset=utf-8',
  cdxj: 'text/x-cdxj; charset=utf-8',
}

export function printTimeMap(
  format: TimeMapFormat,
  links: MementoLinks,
  part: TimeMapPart,
): Iterable<string> {
  switch (format) {
    case 'link':
      return linkFormat(links, part)
    case 'json':
      return jsonFormat(links, part)
    case 'cdxj':
      return cdxjFormat(links, part)
  }
}

function* linkFormat(links: MementoLinks, part: TimeMapPart): Generator<string> {
  const { url, captures, next, last } = part
  const type = 'type="application/link-format"'
  const span = (from: ArchivedCapture, until: ArchivedCapture) =>
    `from="${printHttpDate(from.capturedAtMs)}"; until="${printHttpDate(until.capturedAtMs)}"`
  yield `<${url}>; rel="original"`
  yield `,\n<${links.timeMap('link', url, part.fromMs)}>; rel="self"; ${type}; ${span(captures[0]!, captures.at(-1)!)}`
  yield `,\n<${links.timeGate(url)}>; rel="timegate"`
  if (next !== undefined) {
    yield `,\n<${links.timeMap('link', url, next.capturedAtMs)}>; rel="timemap"; ${type}; ${span(next, last)}`
  }
  for (const capture of captures) yield `,\n${mementoLink(links, capture, namesOf(part, capture))}`
  yield '\n'
}

function* jsonFormat(links: MementoLinks, part: TimeMapPart): Generator<string> {
  const { url, captures, next, first, last } = part
  const memento = (capture: ArchivedCapture) => ({
    datetime: isoSeconds(capture.capturedAtMs),
    uri: links.memento(capture),
  })
  const head = {
    original_uri: url,
    self: links.timeMap('json', url, part.fromMs),
    timegate_uri: links.timeGate(url),
    timemap_uri: timeMapUris(links, url),
    ...(next && { next_timemap_uri: links.timeMap('json', url, next.capturedAtMs) }),
  }
  yield `${JSON.stringify(head).slice(0, -1)},"mementos":{"first":${JSON.stringify(memento(first))},"last":${JSON.stringify(memento(last))},"list":[`
  let separator = '\n'
  for (const capture of captures) {
    yield `${separator}${JSON.stringify(memento(capture))}`
    separator = ',\n'
  }
  yield '\n]}}\n'
}

function* cdxjFormat(links: MementoLinks, part: TimeMapPart): Generator<string> {
  const { url, captures, next } = part
  yield `!context ["http://tools.ietf.org/html/rfc7089"]\n`
  yield `!id ${JSON.stringify({ uri: links.timeMap('cdxj', url, part.fromMs) })}\n`
  yield `!meta ${JSON.stringify({ original_uri: url, timegate_uri: links.timeGate(url), timemap_uri: timeMapUris(links, url) })}\n`
  if (next !== undefined) {
    yield `!meta ${JSON.stringify({ next_timemap_uri: links.timeMap('cdxj', url, next.capturedAtMs) })}\n`
  }
  for (const capture of captures) {
    const { surt, mime, status, content } = capture
    const fields = {
      url: capture.url,
      mime: isRevisit(capture) ? 'warc/revisit' : mime,
      status: String(status),
      digest: content && printDigest(content.digest),
      uri: links.memento(capture),
      rel: [...namesOf(part, capture), 'memento'].join(' '),
      datetime: printHttpDate(capture.capturedAtMs),
    }
    yield `${surt} ${printTimestamp(capture.capturedAtMs)} ${JSON.stringify(fields)}\n`
  }
}

function timeMapUris(links: MementoLinks, url: string): object {
  return {
    link_format: links.timeMap('link', url),
    json_format: links.timeMap('json', url),
    cdxj_format: links.timeMap('cdxj', url),
  }
}

function namesOf({ first, last }: TimeMapPart, { cursor }: ArchivedCapture): string[] {
  const names: string[] = []
  if (cursor === first.cursor) names.push('first')
  if (cursor === last.cursor) names.push('last')
  return names
}

function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
