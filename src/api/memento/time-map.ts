// TimeMap (RFC 7089, 5): all mementos of a URL, as link-format, JSON or CDXJ.
//
// A URL with more than mementosMax mementos has several TimeMaps, each naming the next one (RFC 7089, 5.1.1).

import type { ArchivedCapture, CaptureIndex } from '../../model/archive.ts'
import { firstOf } from '../../model/listed.ts'
import { parseTimestamp } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { dataAnswer, gathered } from '../answers.ts'
import { archivedUrl, checkNotTakenDown, notArchived } from '../archived-url.ts'
import { forwardOf } from '../capture-batches.ts'
import type { Route } from '../route.ts'
import { linkHeader, type MementoLinks, type TimeMapFormat } from './memento-links.ts'
import { printTimeMap, type TimeMapPart, timeMapTypes } from './time-map-formats.ts'

const mementosMaxDefault = 10_000

export interface TimeMapsNeeds {
  readonly archive: CaptureIndex
  readonly clock: Clock
  readonly links: MementoLinks
}

export class TimeMaps {
  readonly #needs: TimeMapsNeeds
  readonly #mementosMax: number

  constructor(needs: TimeMapsNeeds, mementosMax: number = mementosMaxDefault) {
    this.#needs = needs
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

  async #answer(format: TimeMapFormat, rest: string): Promise<HttpAnswer> {
    const part = /^([0-9]{17})\/(.*)$/s.exec(rest)
    const url = archivedUrl(part?.[2] ?? rest)
    checkNotTakenDown(this.#needs.archive, url)
    const timeMap = await this.#part(url, part === null ? undefined : parseTimestamp(part[1]!))
    const { links } = this.#needs
    return dataAnswer(timeMapTypes[format], gathered(printTimeMap(format, links, timeMap)), [
      ['Link', linkHeader(links, url.href)],
    ])
  }

  async #part(url: Url, fromMs: number | undefined): Promise<TimeMapPart> {
    const { archive } = this.#needs
    const captures: ArchivedCapture[] = []
    let next: ArchivedCapture | undefined
    for await (const batch of forwardOf(this.#needs, url, { fromMs })) {
      next = this.#fill(captures, batch)
      if (next !== undefined) break
    }
    const first = await firstOf(archive.versions(url, { limit: 1 }))
    const last = await firstOf(archive.versions(url, { reverse: true, limit: 1 }))
    if (first === undefined || last === undefined || captures.length === 0) throw notArchived(url)
    return { url: url.href, fromMs, captures, first, last, next }
  }

  /** Gives the first that has no room. Captures of the same moment stay together: a part begins with a moment. */
  #fill(captures: ArchivedCapture[], batch: readonly ArchivedCapture[]): ArchivedCapture | undefined {
    for (const capture of batch) {
      const isFull = captures.length >= this.#mementosMax
      if (isFull && capture.capturedAtMs !== captures.at(-1)!.capturedAtMs) return capture
      captures.push(capture)
    }
    return undefined
  }
}
