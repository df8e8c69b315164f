// URL list: the pages of a site or under a prefix, each with its number of captures, a screenful at a time.
//
// Bounded: a URL is counted up to a limit and then skipped over, and a request looks at so many captures at most, however
// few URLs that shows; the rest is behind the cursor.

import { viewOf } from '../formats/warc/page-views.ts'
import { allOf, firstOf } from '../model/listed.ts'
import type { TimeRange } from '../model/time-range.ts'
import { tryParseUrl, type Url } from '../model/url/url.ts'
import type { PageArchive, PageSelection, TitleOf, Version } from './archive.ts'
import { withThumbnails } from './thumbnails.ts'
import { outcomeOf } from './version-state.ts'

export interface UrlEntry {
  /** As it was fetched last. */
  readonly url: string
  readonly surt: string
  readonly count: number
  /** There are more than were counted. */
  readonly isMore: boolean
  readonly firstMs: number
  /** Of the version that is shown: the last that answered, where only such are wanted. */
  readonly lastMs: number
  readonly mime: string
  readonly status: number
  readonly title: string | undefined
  readonly hasThumbnail: boolean
}

/** `pages`: HTML that answered. `answers`: whatever answered. `all`: also redirects and errors. */
export type UrlListKind = 'pages' | 'answers' | 'all'

export interface UrlList {
  readonly entries: readonly UrlEntry[]
  /** Where the next page starts; undefined at the end. */
  readonly next: string | undefined
}

interface UrlListRequest extends TimeRange {
  readonly kind?: UrlListKind
  readonly after?: string | undefined
  /** Look for pictures of the pages, too. */
  readonly hasPictures?: boolean
}

interface UrlListLimits {
  readonly urls: number
  readonly capturesPerUrl: number
  /** URLs looked at, whether they have captures in the span or not. */
  readonly visits: number
  readonly captures: number
}

const urlListLimits: UrlListLimits = {
  urls: 100,
  capturesPerUrl: 1_000,
  visits: 2_000,
  captures: 20_000,
}

interface Needs {
  readonly archive: Pick<PageArchive, 'scan' | 'versions' | 'viewTimes'>
  readonly titleOf?: TitleOf | undefined
  readonly breathe: () => Promise<void>
}

const urlsPerBreath = 50

export async function urlListOf(
  needs: Needs,
  selection: PageSelection,
  { kind = 'all', after, hasPictures = false, ...span }: UrlListRequest = {},
  limits = urlListLimits,
): Promise<UrlList> {
  const { archive, breathe } = needs
  const entries: UrlEntry[] = []
  const pictured = async () =>
    hasPictures
      ? withThumbnails(archive, entries, ({ url, mime, lastMs }) =>
          /html/.test(mime) ? { url, capturedAtMs: lastMs } : undefined,
        )
      : entries
  let cursor = after
  let capturesLeft = limits.captures
  for (let visits = 0; visits < limits.visits; visits++) {
    const next = await firstOf(archive.scan(selection, { after: cursor, limit: 1 }))
    if (next === undefined) return { entries: await pictured(), next: undefined }
    if (entries.length === limits.urls || capturesLeft <= 0) break
    const url = tryParseUrl(next.url)
    const visit = url === null ? undefined : await visited(needs, url, { ...span, kind }, limits)
    if (visit?.entry !== undefined) entries.push(visit.entry)
    capturesLeft -= visit?.looked ?? 0
    cursor = visit?.cursor ?? next.cursor
    if (visits % urlsPerBreath === urlsPerBreath - 1) await breathe()
  }
  return { entries: await pictured(), next: cursor }
}

interface Visit {
  /** Undefined when the URL has no captures in the span, or none that is wanted. */
  readonly entry: UrlEntry | undefined
  /** Captures read for it. */
  readonly looked: number
  /** Of its last capture: the next URL is behind it. */
  readonly cursor: string | undefined
}

async function visited(
  { archive, titleOf }: Needs,
  url: Url,
  { kind, ...span }: TimeRange & { kind: UrlListKind },
  limits: UrlListLimits,
): Promise<Visit> {
  const newest = await firstOf(archive.versions(url, { reverse: true, limit: 1 }))
  const found = await allOf(archive.versions(url, { ...span, limit: limits.capturesPerUrl + 1 }))
  const counted = found.slice(0, limits.capturesPerUrl)
  const looked = found.length
  const [first] = counted
  if (first === undefined) return { entry: undefined, looked, cursor: newest?.cursor }
  const last = (await firstOf(archive.versions(url, { ...span, reverse: true, limit: 1 }))) ?? counted.at(-1)!
  const shown = [...counted, last].findLast((version) => isWanted(version, kind))
  if (shown === undefined) return { entry: undefined, looked, cursor: newest?.cursor }
  const entry = {
    url: shown.url,
    surt: shown.surt,
    count: counted.length,
    isMore: found.length > counted.length,
    firstMs: first.capturedAtMs,
    lastMs: shown.capturedAtMs,
    mime: shown.mime,
    status: shown.status,
    title: /html/.test(shown.mime) ? await titleOf?.(shown) : undefined,
    hasThumbnail: false,
  }
  return { entry, looked, cursor: newest?.cursor }
}

function isWanted(version: Version, kind: UrlListKind): boolean {
  // Shown with its page.
  if (viewOf(version.url) !== undefined) return false
  if (kind === 'all') return true
  return outcomeOf(version) === 'good' && (kind === 'answers' || /html/.test(version.mime))
}
