// Where a URL's mementos, TimeGate and TimeMaps are, and the Link headers that tell (RFC 7089, 2.2).

import type { ArchivedCapture } from '../../model/archive.ts'
import { printTimestamp, printTimestampMs } from '../../model/timestamp.ts'
import type { Header } from '../answers.ts'
import { printHttpDate } from './accept-datetime.ts'

export type TimeMapFormat = 'link' | 'json' | 'cdxj'

export class MementoLinks {
  readonly #origin: string

  constructor(archiveOrigin: string) {
    this.#origin = archiveOrigin
  }

  memento({ capturedAtMs, url }: ArchivedCapture): string {
    return `${this.#origin}/web/${printTimestamp(capturedAtMs)}/${url}`
  }

  /** Its bytes as they came. */
  raw({ capturedAtMs, url }: ArchivedCapture): string {
    return `${this.#origin}/web/${printTimestamp(capturedAtMs)}id_/${url}`
  }

  timeGate(url: string): string {
    return `${this.#origin}/timegate/${url}`
  }

  /** With `fromMs`: the part that begins there. */
  timeMap(format: TimeMapFormat, url: string, fromMs?: number): string {
    const part = fromMs === undefined ? '' : `${printTimestampMs(fromMs)}/`
    return `${this.#origin}/timemap/${format}/${part}${url}`
  }
}

export interface MementoPlace {
  readonly capture: ArchivedCapture
  readonly first: ArchivedCapture
  readonly last: ArchivedCapture
  readonly previous?: ArchivedCapture | undefined
  readonly next?: ArchivedCapture | undefined
}

/** A Link header's value: original, TimeGate, TimeMap and, where one is given, the memento among its neighbours. */
export function linkHeader(links: MementoLinks, url: string, place?: MementoPlace): string {
  const parts = [
    `<${url}>; rel="original"`,
    `<${links.timeGate(url)}>; rel="timegate"`,
    `<${links.timeMap('link', url)}>; rel="timemap"; type="application/link-format"`,
  ]
  if (place !== undefined) parts.push(...mementosOf(links, place))
  return parts.join(', ')
}

export function mementoHeaders(links: MementoLinks, url: string, place: MementoPlace): Header[] {
  return [
    ['Memento-Datetime', printHttpDate(place.capture.capturedAtMs)],
    ['Link', `${linkHeader(links, url, place)}, <${links.raw(place.capture)}>; ${rawRelation}`],
  ]
}

/** No relation is registered for it; this one says that it is the same in another form. */
const rawRelation = 'rel="alternate"; title="raw memento"'

/** One link for each capture, however many relations it has. */
function mementosOf(links: MementoLinks, place: MementoPlace): string[] {
  const relations = new Map<string, { capture: ArchivedCapture; names: string[] }>()
  const add = (capture: ArchivedCapture | undefined, ...names: string[]) => {
    if (capture === undefined) return
    const known = relations.get(capture.cursor)
    if (known === undefined) relations.set(capture.cursor, { capture, names })
    else known.names.unshift(...names)
  }
  add(place.capture, 'memento')
  add(place.first, 'first')
  add(place.last, 'last')
  add(place.previous, 'prev')
  add(place.next, 'next')
  return [...relations.values()]
    .sort((left, right) => left.capture.capturedAtMs - right.capture.capturedAtMs)
    .map(({ capture, names }) => mementoLink(links, capture, names))
}

export function mementoLink(
  links: MementoLinks,
  capture: ArchivedCapture,
  names: readonly string[] = [],
): string {
  const rel = [...names.filter((name) => name !== 'memento'), 'memento'].join(' ')
  return `<${links.memento(capture)}>; rel="${rel}"; datetime="${printHttpDate(capture.capturedAtMs)}"`
}
