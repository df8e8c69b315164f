// Pages of a CDX result: blocks of lines of the index, before filters, so that several readers can share a large result.

import type { ArchivedCapture } from '../../model/archive.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import { ApiError } from '../api-error.ts'
import type { Batches } from '../capture-batches.ts'
import { blockLines, type CdxQuery } from './cdx-query.ts'

interface PagedIndexLine {
  readonly first: ArchivedCapture
  /** The number of its first line. */
  readonly start: number
  lines: number
}

/** The lines of one page. Throws before the first batch when there is no such page. */
export async function pageOf(batches: Batches, query: CdxQuery): Promise<Batches> {
  const linesPerPage = query.pageSize * blockLines
  const start = query.page! * linesPerPage
  const source = batches[Symbol.asyncIterator]()
  let seen = 0
  for (;;) {
    const { done, value } = await source.next()
    if (done) {
      if (query.page === 0) return nothing()
      throw noSuchPage(query, Math.ceil(seen / linesPerPage))
    }
    seen += value.length
    if (seen > start) return restOfPage(value.slice(value.length - (seen - start)), source, linesPerPage)
  }
}

async function* nothing(): AsyncGenerator<readonly ArchivedCapture[]> {}

async function* restOfPage(
  first: readonly ArchivedCapture[],
  source: AsyncIterator<readonly ArchivedCapture[]>,
  linesMax: number,
): AsyncGenerator<readonly ArchivedCapture[]> {
  let left = linesMax
  for (let batch: readonly ArchivedCapture[] | undefined = first; batch !== undefined && left > 0; ) {
    yield batch.slice(0, left)
    left -= batch.length
    const next = await source.next()
    batch = next.done ? undefined : next.value
  }
}

function noSuchPage({ page }: CdxQuery, pages: number): ApiError {
  const known = pages === 0 ? 'there are no results' : `the last one is page ${pages - 1}`
  return new ApiError('request-bad-parameter', `There is no page ${page}: ${known}.`)
}

export async function countLines(batches: Batches): Promise<number> {
  let count = 0
  for await (const batch of batches) count += batch.length
  return count
}

/** The first line of each block. */
export async function* pagedIndex(batches: Batches): AsyncGenerator<PagedIndexLine> {
  let line: PagedIndexLine | undefined
  let number = 0
  for await (const batch of batches) {
    for (const capture of batch) {
      if (number % blockLines === 0) {
        if (line !== undefined) yield line
        line = { first: capture, start: number, lines: 0 }
      }
      line!.lines++
      number++
    }
  }
  if (line !== undefined) yield line
}

/** As a ZipNum index: key, part, where it starts, how long it is, its number. */
export function printPagedIndexLine({ dialect }: CdxQuery, { first, start, lines }: PagedIndexLine): string {
  const urlkey = `${first.surt} ${printTimestamp(first.capturedAtMs)}`
  const block = start / blockLines
  if (dialect === 'wayback') return `${urlkey}\tarchive\t${start}\t${lines}\t${block}\n`
  return `${JSON.stringify({ urlkey, part: 'archive', offset: start, length: lines, lineno: block })}\n`
}
