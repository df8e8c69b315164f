// Reading: calendar, prefix list and replay frame, under /web/.

import { type Awaitable, allOf, firstOf } from '../../model/listed.ts'
import { printTimestamp, timestampSpan } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { listRoute, parseReading, type Reading, type Span, versionRoute } from '../address.ts'
import type { PageArchive, PageOwner, PageServer, TitleOf, Version } from '../archive.ts'
import { historyOf } from '../history.ts'
import {
  type AskedBy,
  type Header,
  type PageRequest,
  type PageRoute,
  pageAnswer,
  redirectAnswer,
} from '../http.ts'
import { html } from '../markup/html.ts'
import type { Layout } from '../markup/layout.ts'
import { calendarPath, downloadPath, prefixPath, sitePath, versionPath } from '../markup/links.ts'
import { briefUrl, readableUrl } from '../markup/readable-url.ts'
import { urlElement } from '../markup/shown-url.ts'
import { PageError } from '../page-error.ts'
import { frameScreen } from '../screens/frame.ts'
import { urlListScreen } from '../screens/url-list.ts'
import { calendarScreen } from '../screens/versions/calendar.ts'
import { sitesTexts } from '../texts/sites.ts'
import { timelineOf } from '../timeline.ts'
import { urlListOf } from '../url-list.ts'
import { versionListOf } from '../version-list.ts'
import { isChanged } from '../version-state.ts'
import type { YearCache } from '../year-cache.ts'

interface Needs {
  readonly archive: PageArchive
  readonly titleOf: TitleOf
  readonly owner: PageOwner
  readonly server: PageServer
  readonly layout: Layout
  readonly years: YearCache
  readonly breathe: () => Promise<void>
}

interface Asked extends Needs {
  readonly request: Pick<PageRequest, 'method' | 'header'>
}

type VersionReading = Extract<Reading, { kind: 'version' }>

/** How far back a different version is looked for. */
const lookBackMax = 50

export function readingRoutes(needs: Needs): PageRoute[] {
  const handle = (request: PageRequest): Promise<HttpAnswer> =>
    read({ ...needs, request }, parseReading(request.target))
  const route = { methods: ['GET'], host: 'archive', isPage: true, handle } as const
  return [
    { ...route, path: listRoute },
    { ...route, path: versionRoute },
  ]
}

function read(needs: Asked, reading: Reading): Promise<HttpAnswer> {
  const { archive } = needs
  if (archive.isTakenDown(reading.url)) throw new PageError('store-taken-down')
  switch (reading.kind) {
    case 'calendar':
      return calendar(needs, reading.url, reading.span)
    case 'prefix':
      return prefixList(needs, reading)
    case 'version':
      return frame(needs, reading)
  }
}

async function calendar(needs: Asked, url: Url, span: Span): Promise<HttpAnswer> {
  const isList = isShorterThanYear(span)
  const isRange = span.written.includes('-') && !isList
  const history = await historyOf(needs, url, {
    // A year is shown among the others; only a range of years leaves the rest out.
    ...(isRange && { fromMs: span.fromMs, toMs: span.toMs }),
    year: span.fromMs === undefined ? undefined : new Date(span.fromMs).getUTCFullYear(),
  })
  if (history === undefined) throw new PageError('not-archived')
  const list = isList ? await versionListOf(needs.archive, url, span) : undefined
  const isOwner = needs.owner.isOwner(needs.request)
  const screen = calendarScreen({ url, span, history, list, isOwner })
  return pageAnswer(needs.request, 200, needs.layout.page(screen))
}

function isShorterThanYear({ written }: Span): boolean {
  return written.split('-').some((digits) => digits.length > 4)
}

async function prefixList(
  needs: Asked,
  { url, span, isAll, after }: Extract<Reading, { kind: 'prefix' }>,
): Promise<HttpAnswer> {
  const { written, fromMs, toMs } = span
  const kind = isAll ? 'all' : 'answers'
  const between = { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) }
  const list = await urlListOf(
    needs,
    { kind: 'prefix', url: url.href },
    {
      ...{ ...between, kind, after },
      hasPictures: true,
    },
  )
  const screen = urlListScreen({
    title: sitesTexts.startWithTitle({ url: briefUrl(url.href) }),
    eyebrow: written === '' ? sitesTexts.startWith : sitesTexts.capturedIn({ span: written }),
    heading: urlElement(url.href),
    typed: readableUrl(url.href),
    list,
    kind,
    path: prefixPath(url.href, written),
    isFirstPage: after === undefined,
    tools: [
      html`<a href="${calendarPath(url.href)}">${sitesTexts.versionsOfAddress}</a>`,
      html`<a href="${sitePath(url.site)}">${sitesTexts.allOf({ site: url.site })}</a>`,
      html`<a href="${downloadPath('prefix', url.href)}" download>${sitesTexts.download}</a>`,
    ],
  })
  return pageAnswer(needs.request, 200, needs.layout.page(screen))
}

async function frame(
  { archive, owner, server, layout, request }: Asked,
  reading: VersionReading,
): Promise<HttpAnswer> {
  const { url, digits, isNotNewer } = reading
  const version = await (isNotNewer ? newestNotNewer(archive, url, digits) : archive.resolve(url, digits))
  if (version === undefined) throw new PageError('not-archived')
  const { capturedAtMs } = version
  if (isNotNewer || digits !== printTimestamp(capturedAtMs))
    return redirectAnswer(versionPath(capturedAtMs, version.url))
  const mementoHeaders = await server.mementoHeaders(url, version)
  if (!isNavigation(request)) return asMemento(await server.resource(request, version), mementoHeaders)
  const before = await allOf(archive.versions(url, { toMs: capturedAtMs, reverse: true, limit: lookBackMax }))
  const next = await firstOf(archive.versions(url, { fromMs: capturedAtMs + 1, limit: 1 }))
  const screen = frameScreen({
    url,
    version,
    previous: before[0],
    next,
    comparable: comparableOf(version, before),
    timeline: await timelineOf(archive, url, capturedAtMs),
    replayOrigin: server.replayOrigin,
    isOwner: owner.isOwner(request),
  })
  const headers = { framed: server.replayOrigin, more: [...mementoHeaders, varies] }
  return pageAnswer(request, 200, layout.page(screen), headers)
}

/** Who asks for this address decides what it gives. */
const varies: Header = ['Vary', 'Accept, Sec-Fetch-Dest']
const pageDestinations = new Set(['document', 'iframe', 'frame', 'embed', 'object'])

/** Whether a browser goes there, or the bar of another version asks for its own. Tools, and scripts of others, get the memento
 * and not our page around it. */
function isNavigation({ header }: AskedBy): boolean {
  const destination = header('sec-fetch-dest')
  // Browsers leave it out on the way to machines that they do not trust.
  const isOurs = header('sec-fetch-site') === 'same-origin'
  return destination === undefined || (destination === 'empty' && isOurs)
    ? /\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(header('accept') ?? '')
    : pageDestinations.has(destination)
}

/** With its place among the others, which the resource alone does not tell. */
function asMemento(answer: HttpAnswer, mementoHeaders: readonly Header[]): HttpAnswer {
  const told = new Set(mementoHeaders.map(([name]) => name.toLowerCase()))
  const own = answer.headers.filter(([name]) => !told.has(name.toLowerCase()))
  const isMemento = answer.headers.some(([name]) => name === 'Memento-Datetime')
  return { ...answer, headers: isMemento ? [...own, ...mementoHeaders, varies] : [...answer.headers, varies] }
}

/** Herodotus' rule. */
function newestNotNewer(archive: PageArchive, url: Url, digits: string): Awaitable<Version | undefined> {
  return firstOf(archive.versions(url, { toMs: timestampSpan(digits).toMs, reverse: true, limit: 1 }))
}

/** The newest of those before that is different, else the one before. */
function comparableOf(version: Version, before: readonly Version[]): Version | undefined {
  return before.find((earlier) => isChanged(earlier, version)) ?? before[0]
}
