// Parts of pages on sites of other peers: asked of those, and fetched for them; wired to crawler, ring and calls.

import type { PartErrands } from '../../crawl/browser/crawled-parts.ts'
import { filedUrl } from '../../crawl/visit/filed-url.ts'
import { parseHttpHead, parseStatusLine } from '../../formats/http/http-message.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import type { Url } from '../../model/url/url.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { ErrandHandler } from '../../network/part-errands/errand-handler.ts'
import { Errands } from '../../network/part-errands/errands.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { Crawler } from '../crawl/crawler.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { SiteLeases } from './site-leases.ts'

/** Versions looked through for one that has content. */
const looksMax = 100

interface Needs {
  readonly services: RingPeer['services']
  readonly places: RingPlaces
  readonly sites: SiteLeases
  readonly crawler: Crawler
  /** Of the whole network. */
  readonly archive: ReadableArchive
}

export function openPartErrands({ services, places, sites, crawler, archive }: Needs): { close(): void } {
  const calls = services.service('errands')
  const handler = new ErrandHandler({
    calls,
    waitUntilReady: (site) => sites.waitUntilReady(site),
    placedAt: (site) => sites.placedAt(site),
    fetch: (url, question, signal) => crawler.errands.fetch(url, question, signal),
  })
  const errands = new Errands({
    calls,
    self: places.self,
    ownerOf: (site) => places.owners.ownerOf(site),
    runHere: (question) => handler.run(places.self, question),
  })
  const run: PartErrands['run'] = async (errand, signal) => {
    const answer = await errands.run(errand, signal)
    if (answer?.kind !== 'kept') return answer && { code: answer.code, reason: answer.reason }
    const { capturedAtMs } = answer
    const capture = await answeredAt(archive, filedUrl(errand), capturedAtMs)
    if (capture === undefined) return undefined
    const { head, payload } = await archive.read(capture)
    const parsed = head && parseHttpHead(head)
    if (!parsed) return undefined
    const status = parseStatusLine(parsed.startLine)?.status ?? 200
    return { status, headers: parsed.headers, body: payload(), bodyBytes: capture.payloadBytes }
  }
  crawler.showing.joinNetwork({ run })
  return { close: () => handler.close() }
}

/** The capture of that time; where it says that nothing has changed, the one that it says so of. */
async function answeredAt(
  archive: ReadableArchive,
  url: Url,
  capturedAtMs: number,
): Promise<ArchivedCapture | undefined> {
  const until = { toMs: capturedAtMs + 1, reverse: true, limit: looksMax }
  for await (const capture of archive.versions(url, until)) {
    if (capture.kind !== 'not-modified') return capture
  }
  return undefined
}
