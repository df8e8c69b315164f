// TimeMap (RFC 7089, 5): all mementos of a URL, as link-format, JSON or CDXJ.
//
// A URL with more than mementosMax mementos has several TimeMaps, each naming the next one (RFC 7089, 5.1.1).

import { parseTimestamp } from '../../record/timestamp.ts'
import type { Url } from '../../record/url.ts'
import type { HttpAnswer } from '../../world/http-server.ts'
import { dataAnswer, gathered } from '../answers.ts'
import type { ArchivedCapture, CaptureIndex } from '../archive.ts'
import { archivedUrl, checkNotTakenDown, notArchived } from '../archived-url.ts'
import type { Route } from '../route.ts'
import { linkHeader, type MementoLinks, type TimeMapFormat } from './memento-links.ts'
import { printTimeMap, type TimeMapPart, timeMapTypes } from './time-map-formats.ts'

const mementosMaxDefault = 10_000

export class TimeMaps {
  readonly #archive: CaptureIndex
  readonly #links: MementoLinks
  readonly #mementosMax: number

  constructor(
    needs: { archive: CaptureIndex; links: MementoLinks },
    mementosMax: number = mementosMaxDefault,
  ) {
    this.#archive = needs.archive
    this.#links = needs.links
    this.#mementosMax = mementosMax
  }

  /** Also where the Internet Archive and pywb have them. */
  routes(): Route[] {
    return (['link', 'json', 'cdxj'] as const).flatMap((format) =>
      [`/timemap/${format}/{rest*}`, `/web/timemap/${format}/{rest*}`].map((path) => ({
        methods: ['GET'],
        host: 'archive' as const,
        path,
        isForEveryOrigin: true,
        handle: (request) => this.#answer(format, request.rest),
      })),
    )
  }

  #answer(format: TimeMapFormat, rest: string): HttpAnswer {
    const part = /^([0-9]{17})\/(.*)$/s.exec(rest)
    const url = archivedUrl(part?.[2] ?? rest)
    checkNotTakenDown(this.#archive, url)
    const timeMap = this.#part(url, part === null ? undefined : parseTimestamp(part[1]!))
    return dataAnswer(timeMapTypes[format], gathered(printTimeMap(format, this.#links, timeMap)), [
      ['Link', linkHeader(this.#links, url.href)],
    ])
  }

  #part(url: Url, fromMs: number | undefined): TimeMapPart {
    const captures: ArchivedCapture[] = []
    let next: ArchivedCapture | undefined
    for (const capture of this.#archive.versions(url, { fromMs })) {
      // Captures of the same moment stay together: a part begins with a moment.
      if (captures.length >= this.#mementosMax && capture.capturedAtMs !== captures.at(-1)!.capturedAtMs) {
        next = capture
        break
      }
      captures.push(capture)
    }
    const [first] = this.#archive.versions(url, { limit: 1 })
    const [last] = this.#archive.versions(url, { reverse: true, limit: 1 })
    if (first === undefined || last === undefined || captures.length === 0) throw notArchived(url)
    return { url: url.href, fromMs, captures, first, last, next }
  }
}
