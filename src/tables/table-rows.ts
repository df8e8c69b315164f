// Table rows: the rows of the archive's tables, from captures in the order of their URLs, from the link graph, and from the events of
// the stream of changes.
//
// One pass, and memory for one URL's captures at most. What was taken down the sources leave out.

import type { ChangeEvent } from '../changes/change-event.ts'
import { changeRow } from '../formats/tables/change-row.ts'
import { type Row, type TableName, tables } from '../formats/tables/columns.ts'
import type { ArchivedCapture } from '../model/archive.ts'
import { captureJson } from '../model/capture-json.ts'
import type { PageLink } from '../model/page-link.ts'
import { tryParseLink, type Url } from '../model/url/url.ts'

export interface TableSource {
  /** In the order of ring key, SURT and time. */
  captures(): AsyncIterable<ArchivedCapture>
  links(): AsyncIterable<PageLink>
  /** In the order of the stream; none twice. */
  changes(): AsyncIterable<ChangeEvent>
}

/** Of one URL at most so many are looked at together. */
const capturesPerUrlMax = 100_000

export function rowsOf(table: TableName, source: TableSource): AsyncGenerator<Row> {
  switch (table) {
    case 'captures':
      return captureRows(source)
    case 'pages':
      return pageRows(source)
    case 'links':
      return linkRows(source)
    case 'changes':
      return changeRows(source)
  }
}

async function* captureRows(source: TableSource): AsyncGenerator<Row> {
  for await (const capture of source.captures()) {
    const url = tryParseLink(capture.url)
    if (url === null) continue
    const { status, mime, kind, storedBytes, recordId } = capture
    const { digest, bytes } = contentOf(capture)
    const time = capture.capturedAtMs
    yield [...urlValues(url), time, status, mime, digest, bytes, storedBytes, kind, recordId]
  }
}

async function* pageRows(source: TableSource): AsyncGenerator<Row> {
  for await (const { url, captures } of urlsOf(source)) {
    const [first, last] = [captures[0]!, captures.at(-1)!]
    const versions = versionsIn(captures)
    const { digest, bytes } = contentOf(last)
    const { status, mime } = last
    yield [
      ...urlValues(url),
      ...[first.capturedAtMs, last.capturedAtMs, captures.length, Math.max(1, versions)],
      ...[status, mime, digest, bytes],
    ]
  }
}

async function* linkRows(source: TableSource): AsyncGenerator<Row> {
  for await (const link of source.links()) {
    const [from, to] = [tryParseLink(link.from), tryParseLink(link.to)]
    if (from === null || to === null) continue
    const { relation, isNoFollow, text, firstSeenMs, lastSeenMs, goneMs = null } = link
    yield [
      from.href,
      from.site,
      to.href,
      to.site,
      relation,
      isNoFollow,
      text,
      firstSeenMs,
      lastSeenMs,
      goneMs,
    ]
  }
}

async function* changeRows(source: TableSource): AsyncGenerator<Row> {
  const { columns } = tables.changes
  for await (const event of source.changes()) yield changeRow({ ...event }, columns)
}

/** How often a URL showed something else than before, by its captures, oldest first. Who was told to come later has seen nothing. */
function versionsIn(captures: readonly ArchivedCapture[]): number {
  let versions = 0
  let before: ArchivedCapture | undefined
  let isGone = false
  for (const capture of captures) {
    const { status } = capture
    if (status === 404 || status === 410) {
      if (before !== undefined && !isGone) versions++
      isGone = true
    } else if (status < 400) {
      if (before === undefined || isGone || hasChanged(before, capture)) versions++
      isGone = false
      before = capture.kind === 'not-modified' ? (before ?? capture) : capture
    }
  }
  return versions
}

function hasChanged(before: ArchivedCapture, capture: ArchivedCapture): boolean {
  return capture.kind !== 'not-modified' && contentOf(before).digest !== contentOf(capture).digest
}

/** URLs that share a key are told apart. */
async function* urlsOf(source: TableSource): AsyncGenerator<{ url: Url; captures: ArchivedCapture[] }> {
  let group: ArchivedCapture[] = []
  for await (const capture of source.captures()) {
    if (group.length > 0 && group[0]!.surt !== capture.surt) {
      yield* divided(group)
      group = []
    }
    if (group.length < capturesPerUrlMax) group.push(capture)
  }
  yield* divided(group)
}

function* divided(group: readonly ArchivedCapture[]): Generator<{ url: Url; captures: ArchivedCapture[] }> {
  for (const [href, captures] of Map.groupBy(group, ({ url }) => url)) {
    const url = tryParseLink(href)
    if (url !== null) yield { url, captures }
  }
}

function urlValues(url: Url): [string, string, string] {
  return [url.href, url.site, url.host]
}

function contentOf(capture: ArchivedCapture): { digest: string | null; bytes: number } {
  const { content, payloadBytes } = captureJson(capture)
  return { digest: content, bytes: payloadBytes }
}
