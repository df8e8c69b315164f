// TimeGate (RFC 7089, pattern 2.1): leads from a URL and a moment to the memento nearest to it.

import { type ArchivedCapture, type CaptureIndex, versionsOf } from '../../model/archive.ts'
import { anyTime, chooseCapture } from '../../model/capture-choice.ts'
import { firstOf } from '../../model/listed.ts'
import type { TimeSpan } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { type Header, redirectAnswer } from '../answers.ts'
import { archivedUrl, checkNotTakenDown, notArchived } from '../archived-url.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import { parseAcceptDatetime } from './accept-datetime.ts'
import { linkHeader, type MementoLinks, type MementoPlace, mementoHeaders } from './memento-links.ts'

/** Dates of Memento are whole seconds, those of captures are not: one later in the very second asked for is meant. */
const secondOf = (atMs: number): TimeSpan => ({ fromMs: atMs, toMs: atMs + 1_000 })

export class TimeGate {
  readonly #archive: CaptureIndex
  readonly #links: MementoLinks

  constructor(needs: { archive: CaptureIndex; links: MementoLinks }) {
    this.#archive = needs.archive
    this.#links = needs.links
  }

  routes(): Route[] {
    return [
      {
        methods: ['GET'],
        host: 'archive',
        path: '/timegate/{rest*}',
        isForEveryOrigin: true,
        handle: (request) => this.answer(archivedUrl(request.rest), request),
      },
    ]
  }

  async answer(url: Url, request: Pick<RouteRequest, 'header'>): Promise<HttpAnswer> {
    checkNotTakenDown(this.#archive, url)
    const wanted = request.header('accept-datetime')
    const span = wanted === undefined ? anyTime : secondOf(parseAcceptDatetime(wanted))
    const capture = await chooseCapture(versionsOf(this.#archive), { url, span, policy: 'nearest' })
    if (capture === undefined) throw notArchived(url)
    // No Memento-Datetime here: that is for mementos, and a client that follows no redirects must not take this for one.
    return redirectAnswer(this.#links.memento(capture), [
      ['Vary', 'accept-datetime'],
      ['Link', linkHeader(this.#links, url.href, await this.#place(url, capture))],
    ])
  }

  /** The headers of a memento, for whoever shows it. */
  async headers(url: Url, capture: ArchivedCapture): Promise<Header[]> {
    return mementoHeaders(this.#links, url.href, await this.#place(url, capture))
  }

  async #place(url: Url, capture: ArchivedCapture): Promise<MementoPlace> {
    const { capturedAtMs } = capture
    const one = (options: { fromMs?: number; toMs?: number; reverse?: boolean }) =>
      firstOf(this.#archive.versions(url, { ...options, limit: 1 }))
    const [first = capture, last = capture, previous, next] = await Promise.all([
      one({}),
      one({ reverse: true }),
      one({ toMs: capturedAtMs, reverse: true }),
      one({ fromMs: capturedAtMs + 1 }),
    ])
    return { capture, first, last, previous, next }
  }
}
