// What an archive has beside the capture of a page that a browser showed: its views, the parts that it asked for, and the answers to those
// of its requests that were no GET, which no URL by itself names.
//
// Bounded: by the account of the page (formats/warc/page-info.ts), and in the captures that are looked through for a request.

import { fetchedAs } from '../../formats/http/request-query.ts'
import { viewKinds, viewUrl } from '../../formats/warc/page-views.ts'
import type { ArchivedCapture, CaptureIndex, CaptureRecord } from '../../model/archive.ts'
import { firstOf } from '../../model/listed.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import { ArchivedRenderings } from './rendered-pages.ts'

/** A store, or an archive that many keep. */
export interface ShownPageSource extends Pick<CaptureIndex, 'versions' | 'scan'> {
  read(capture: ArchivedCapture): Promise<Pick<CaptureRecord, 'payload'>>
}

export interface ShownPage {
  readonly views: readonly ArchivedCapture[]
  /** What it got. */
  readonly parts: readonly Url[]
  /** Of each request the answer nearest in time. */
  readonly answers: readonly ArchivedCapture[]
}

/** Requests with other bodies, or captured long ago, among which one is looked for. */
const looksMax = 1_000

/** undefined where no browser showed it. */
export async function shownPage(
  archive: ShownPageSource,
  page: Url,
  capturedAtMs: number,
): Promise<ShownPage | undefined> {
  const info = await new ArchivedRenderings<ArchivedCapture>(archive).infoAt(page, capturedAtMs)
  if (info === undefined) return undefined
  const names = info.parts.filter(({ fate }) => fate === 'kept').map(({ name }) => name)
  const answers: ArchivedCapture[] = []
  for (const [href, methods] of requestsIn(names))
    answers.push(...(await answersTo(archive, href, methods, capturedAtMs)))
  return {
    views: await viewsAt(archive, page, capturedAtMs),
    parts: names.flatMap((name) => tryParseUrl(name) ?? []),
    answers,
  }
}

async function viewsAt(archive: ShownPageSource, page: Url, atMs: number): Promise<ArchivedCapture[]> {
  const views: ArchivedCapture[] = []
  for (const kind of viewKinds) {
    const filed = viewUrl(page, kind)
    const moment = { fromMs: atMs, toMs: atMs + 1, limit: 1 }
    const view = filed && (await firstOf(archive.versions(filed, moment)))
    if (view !== undefined) views.push(view)
  }
  return views
}

/** Methods by URL, of names such as `POST http://a.test/search`. */
function requestsIn(names: readonly string[]): Map<string, Set<string>> {
  const requests = new Map<string, Set<string>>()
  for (const name of names) {
    const [, method, href] = /^([A-Z]{1,20}) (https?:\/\/.+)$/s.exec(name) ?? []
    if (method === undefined) continue
    const methods = requests.get(href!) ?? new Set()
    requests.set(href!, methods.add(method))
  }
  return requests
}

async function answersTo(
  archive: ShownPageSource,
  href: string,
  methods: ReadonlySet<string>,
  atMs: number,
): Promise<Iterable<ArchivedCapture>> {
  const nearest = new Map<string, ArchivedCapture>()
  const [path] = href.split('?', 1)
  if (tryParseUrl(href) === null) return []
  // They lie among all that has the path: see request-query.ts.
  for await (const capture of archive.scan({ kind: 'prefix', url: `${path}?` }, { limit: looksMax })) {
    const asked = fetchedAs(capture.url)
    if (asked?.url !== href || !methods.has(asked.method)) continue
    const before = nearest.get(capture.url)
    if (before === undefined || awayMs(capture, atMs) < awayMs(before, atMs))
      nearest.set(capture.url, capture)
  }
  return nearest.values()
}

function awayMs({ capturedAtMs }: ArchivedCapture, atMs: number): number {
  return Math.abs(capturedAtMs - atMs)
}
