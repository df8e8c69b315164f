// The CDX server: the archive's index for tools, in the dialects of the Internet Archive and of pywb.
//
// Results are streamed in bounded memory, however many captures they have; what goes wrong with a query is known before
// the first byte.

import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { PolyhistorError } from '../../errors.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import { remoteness } from '../../model/capture-choice.ts'
import type { TimeSpan } from '../../model/timestamp.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import {
  dataAnswer,
  gathered,
  type Header,
  jsonAnswer,
  linesType,
  textType,
  wholeIfShort,
} from '../answers.ts'
import { checkNotTakenDown } from '../archived-url.ts'
import { type Batches, backwardOf, byNearness, firstBatchOf, forward, forwardOf } from '../capture-batches.ts'
import type { TimeMapsNeeds } from '../memento/time-map.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import { statusOf } from '../statuses.ts'
import type { CdxDialect, CdxRow } from './cdx-fields.ts'
import { type CdxPrinter, printerOf } from './cdx-output.ts'
import { countLines, pagedIndex, pageOf, printPagedIndexLine } from './cdx-paging.ts'
import { blockLines, type CdxQuery, keptLinesMax, parseCdxQuery } from './cdx-query.ts'
import { CdxRows } from './cdx-rows.ts'

const variesByEncoding: Header = ['Vary', 'Accept-Encoding']

export class CdxServer {
  readonly #needs: TimeMapsNeeds

  constructor(needs: TimeMapsNeeds) {
    this.#needs = needs
  }

  routes(): Route[] {
    const route = (path: string, dialect: CdxDialect): Route => ({
      methods: ['GET'],
      host: 'archive',
      path,
      isForEveryOrigin: true,
      handle:
        dialect === 'pywb'
          ? (request) => this.#pywbAnswer(request)
          : (request) => this.#answer(dialect, request),
    })
    return [route('/cdx/search/cdx', 'wayback'), route('/{collection}/cdx', 'pywb')]
  }

  /** As pywb, JSON also where it cannot be done. */
  async #pywbAnswer(request: RouteRequest): Promise<HttpAnswer> {
    try {
      return await this.#answer('pywb', request)
    } catch (error) {
      const status = statusOf(error)
      if (!(error instanceof PolyhistorError) || status >= 500) throw error
      return { ...jsonAnswer({ message: error.message }), status }
    }
  }

  async #answer(dialect: CdxDialect, request: RouteRequest): Promise<HttpAnswer> {
    const query = parseCdxQuery(dialect, request.query)
    if (query.url !== undefined) checkNotTakenDown(this.#needs.archive, query.url)
    if (query.shows === 'page-count') return this.#pageCount(query)
    if (query.shows === 'paged-index') return this.#pagedIndex(query)
    const printer = printerOf(query, this.#needs.links)
    const isZipped = query.allowsGzip && /\bgzip\b/i.test(request.header('accept-encoding') ?? '')
    const { url } = query
    const first =
      url !== undefined && isPlainList(query)
        ? await firstBatchOf(this.#needs, url, placesOf(query))
        : undefined
    if (!isZipped && first !== undefined && isShort(query, first))
      return dataAnswer(printer.type, printWhole(query, first.captures, printer), [variesByEncoding])
    const batches = this.#batches(query, first?.captures)
    const body = gathered(
      this.#texts(query, query.page === undefined ? batches : await pageOf(batches, query), printer),
    )
    if (isZipped)
      return dataAnswer(printer.type, gzipped(body), [variesByEncoding, ['Content-Encoding', 'gzip']])
    const sent = query.url === undefined ? body : await wholeIfShort(body)
    return dataAnswer(printer.type, sent, [variesByEncoding])
  }

  #batches(query: CdxQuery, first?: readonly ArchivedCapture[]): Batches {
    const { order, url } = query
    if (url !== undefined && typeof order === 'object')
      return byNearness(this.#needs, url, query, order.closest)
    if (url !== undefined && ((order === 'reverse' && isEachByItself(query)) || isPlainTail(query)))
      return backwardOf(this.#needs, url, query)
    return this.#forward(query, first)
  }

  /** In the order of the index, behind the resume key if there is one. */
  #forward(query: CdxQuery, first?: readonly ArchivedCapture[]): Batches {
    const { url, selection, resume, isMeant } = query
    const between = placesOf(query)
    if (url !== undefined && resume === undefined) return forwardOf(this.#needs, url, { ...between, first })
    return meant(forward(this.#needs, { ...between, selection, after: resume?.after }), isMeant)
  }

  async *#texts(query: CdxQuery, batches: Batches, printer: CdxPrinter): AsyncGenerator<string> {
    const print = (rows: readonly CdxRow[]) => rows.map((row) => printer.row(row)).join('')
    yield printer.head()
    if (keepsLast(query)) {
      const rows = typeof query.order === 'object' ? nearest(query, batches) : this.#last(query, batches)
      yield print(await rows) + printer.end(undefined)
      return
    }
    const rows = new CdxRows(query)
    for await (const batch of batches) {
      yield print(rows.take(batch))
      if (rows.resumeKey !== undefined || (rows.isFull && !query.showsResumeKey)) break
    }
    yield print(rows.end()) + printer.end(query.showsResumeKey ? rows.resumeKey : undefined)
  }

  /** The last rows of a list that is read from its beginning, or the first of one that is read from its end. */
  async #last(query: CdxQuery, batches: Batches): Promise<CdxRow[]> {
    const count = Math.abs(query.limit ?? keptLinesMax)
    if (isPlainTail(query)) {
      const rows = new CdxRows(query, count)
      const found: CdxRow[] = []
      for await (const batch of batches) {
        found.push(...rows.take(batch))
        if (rows.isFull) break
      }
      return found.reverse()
    }
    const rows = new CdxRows(query, Number.POSITIVE_INFINITY)
    let last: CdxRow[] = []
    for await (const batch of batches) {
      last.push(...rows.take(batch))
      if (last.length > 2 * count) last = last.slice(-count)
    }
    last.push(...rows.end())
    return query.order === 'reverse' ? last.slice(-count).reverse() : last.slice(-count)
  }

  async #pageCount(query: CdxQuery): Promise<HttpAnswer> {
    const lines = await countLines(this.#forward(query))
    const blocks = Math.ceil(lines / blockLines)
    const pages = Math.ceil(blocks / query.pageSize)
    if (query.dialect === 'wayback') return dataAnswer(textType, `${pages}\n`)
    return jsonAnswer({ pages, pageSize: query.pageSize, blocks })
  }

  #pagedIndex(query: CdxQuery): HttpAnswer {
    const batches = this.#forward(query)
    const lines = async function* () {
      for await (const line of pagedIndex(batches)) yield printPagedIndexLine(query, line)
    }
    return dataAnswer(query.dialect === 'wayback' ? textType : linesType, gathered(lines()))
  }
}

function placesOf(query: CdxQuery) {
  return { fromMs: query.fromMs, toMs: query.toMs, firstSize: firstSize(query) }
}

/** From the first capture of one URL on. */
function isPlainList({ order, limit, page, resume }: CdxQuery): boolean {
  return order === 'forward' && (limit ?? 0) >= 0 && page === undefined && resume === undefined
}

const shortLinesMax = 100
const shortUrlCharsMax = 16_000

/** Most lists are short. A stream of one would cost several times as much as its lines. */
function isShort(
  { url }: CdxQuery,
  { captures, isWhole }: { readonly captures: readonly ArchivedCapture[]; readonly isWhole: boolean },
): boolean {
  const count = captures.length
  return isWhole && count <= shortLinesMax && count * url!.href.length <= shortUrlCharsMax
}

function printWhole(query: CdxQuery, captures: readonly ArchivedCapture[], printer: CdxPrinter): string {
  const rows = new CdxRows(query)
  let text = printer.head()
  for (const row of rows.take(captures)) text += printer.row(row)
  for (const row of rows.end()) text += printer.row(row)
  return text + printer.end(query.showsResumeKey ? rows.resumeKey : undefined)
}

/** Where every capture is a line, as many as are asked for, and one that tells whether there are more. */
function firstSize({ limit, offset, filters, collapses }: CdxQuery): number | undefined {
  if (limit === undefined || limit < 0 || filters.length > 0 || collapses.length > 0) return undefined
  return limit + offset + 1
}

async function* meant(
  batches: Batches,
  isMeant: CdxQuery['isMeant'],
): AsyncGenerator<readonly ArchivedCapture[]> {
  for await (const batch of batches) yield batch.filter(({ url }) => isMeant(url))
}

/** `limit=-N` of one URL, where each capture counts by itself: read from the end, and turned round. */
function isPlainTail(query: CdxQuery): boolean {
  const { limit, url, offset } = query
  return limit !== undefined && limit < 0 && url !== undefined && isEachByItself(query) && offset === 0
}

/** Whether a capture is a line whatever came before it. */
function isEachByItself({ collapses, countsDupes, countsSkips, resolvesRevisits }: CdxQuery): boolean {
  return collapses.length === 0 && !countsDupes && !countsSkips && !resolvesRevisits
}

/** Whether the lines are known only when all captures were seen. */
function keepsLast(query: CdxQuery): boolean {
  const { limit, order, url } = query
  if (limit !== undefined && limit < 0) return true
  if (order === 'forward') return false
  return url === undefined || (order === 'reverse' && !isEachByItself(query))
}

/** Of many URLs those nearest to a time, the nearest first. */
async function nearest(query: CdxQuery, batches: Batches): Promise<CdxRow[]> {
  const { closest } = query.order as { closest: TimeSpan }
  const count = query.limit ?? keptLinesMax
  const rows = new CdxRows(query, Number.POSITIVE_INFINITY)
  let kept: CdxRow[] = []
  const keep = (found: readonly CdxRow[]): void => {
    kept.push(...found)
    kept.sort((one, other) => remoteness(one.capture, closest) - remoteness(other.capture, closest))
    kept = kept.slice(0, count)
  }
  for await (const batch of batches) keep(rows.take(batch))
  keep(rows.end())
  return kept
}

async function* gzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: 4 })
  // Its error comes out of the loop below as well.
  pipeline(Readable.from(chunks), gzip, () => {})
  yield* gzip as AsyncIterable<Uint8Array>
}
