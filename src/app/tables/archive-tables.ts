// The archive's tables of one peer: rows, Parquet files and answers to SQL.
//
// SQL is asked of a snapshot: a database file with those tables that the query names, made when it is asked and used again for a
// while, so that asking once more costs nothing. One at a time is made, and it is gone when the peer stops.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TableSelection } from '../../api/v1/table-routes.ts'
import type { ChangeEvent } from '../../changes/change-event.ts'
import { type Row, type TableName, tableNames } from '../../formats/tables/columns.ts'
import { viewOf } from '../../formats/warc/page-views.ts'
import type { LinkGraph } from '../../graph/link-graph.ts'
import { linksPerPageMax } from '../../graph/packed-links.ts'
import type { ArchivedCapture, ArchiveSelection, CaptureIndex } from '../../model/archive.ts'
import type { Listed } from '../../model/listed.ts'
import type { LinkService, PageLink } from '../../model/page-link.ts'
import { tryParseLink } from '../../model/url/url.ts'
import {
  runSql,
  type SqlAnswer,
  writeParquet,
  writePartitions,
  writeTable,
} from '../../platform/real/duckdb/duckdb.ts'
import { SerialQueue } from '../../platform/serial-queue.ts'
import { rowsOf, type TableSource } from '../../tables/table-rows.ts'

interface Needs {
  readonly archive: { scan(selection: ArchiveSelection): Listed<ArchivedCapture> }
  readonly graph: LinkGraph
  /** All peers', where there are others. */
  readonly network: { readonly archive: Pick<CaptureIndex, 'versions'>; readonly links: LinkService }
  /** Those that are still kept, of all peers; what was taken down is left out. */
  changes(): AsyncIterable<ChangeEvent>
  isHidden(href: string): boolean
  /** What the job fetched, by its log. */
  urlsOfJob(job: string): Promise<ReadonlySet<string>>
  breathe(): Promise<void>
  monotonicMs(): number
  /** Whether there is such a folder on the disk of the peer. */
  hasFolder(path: string): Promise<boolean>
}

/** A snapshot serves for so long. */
const snapshotMs = 60_000
const rowsPerPause = 500

interface Snapshot {
  readonly atMs: number
  readonly tables: Set<TableName>
}

export class ArchiveTables {
  readonly #needs: Needs
  readonly #folder: string
  #snapshot: Snapshot | undefined
  readonly #queue = new SerialQueue()

  /** `folder`: for snapshots; made when one is needed. */
  constructor(needs: Needs, folder: string) {
    this.#needs = needs
    this.#folder = folder
  }

  async *rows(table: TableName, { site, job }: TableSelection = {}): AsyncGenerator<Row> {
    const urls = job === undefined ? undefined : await this.#needs.urlsOfJob(job)
    yield* rowsOf(table, this.#source(site, urls))
  }

  /** Of these URLs, wherever in the network they are kept. */
  rowsOfUrls(table: TableName, urls: readonly string[]): AsyncGenerator<Row> {
    return rowsOf(table, {
      captures: () => this.#paused(this.#capturesOf(urls)),
      links: () => this.#paused(this.#linksOf(urls)),
      changes: () => {
        const wanted = new Set(urls)
        return filtered(this.#needs.changes(), ({ url }) => wanted.has(url))
      },
    })
  }

  /** One query at a time. */
  sql(query: string): Promise<SqlAnswer> {
    return this.#queue.run(() => this.#sql(query))
  }

  async close(): Promise<void> {
    await this.#queue.run(async () => {})
    // A process that was killed may have left one.
    if (await this.#needs.hasFolder(this.#folder)) await rm(this.#folder, { recursive: true, force: true })
  }

  async #sql(query: string): Promise<SqlAnswer> {
    const path = join(this.#folder, 'snapshot.duckdb')
    const isFresh = this.#snapshot && this.#needs.monotonicMs() - this.#snapshot.atMs < snapshotMs
    if (!isFresh) {
      await rm(this.#folder, { recursive: true, force: true })
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      this.#snapshot = { atMs: this.#needs.monotonicMs(), tables: new Set() }
    }
    const { tables } = this.#snapshot!
    // Which tables there are is said by whoever asks for them.
    const wanted = tableNames.filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(query))
    for (const name of wanted.length === 0 && tables.size === 0 ? [tableNames[0]!] : wanted) {
      if (tables.has(name)) continue
      await writeTable(path, name, this.rows(name))
      tables.add(name)
    }
    return runSql(path, query)
  }

  #source(site: string | undefined, urls: ReadonlySet<string> | undefined): TableSource {
    const { archive } = this.#needs
    // What a browser saw of a page lies with it, and is no page.
    const isWanted = (href: string): boolean =>
      urls === undefined ? viewOf(href) === undefined : urls.has(href)
    const selection: ArchiveSelection = site === undefined ? { kind: 'all' } : { kind: 'site', site }
    return {
      captures: () => filtered(this.#paused(archive.scan(selection)), ({ url }) => isWanted(url)),
      links: () => filtered(this.#paused(this.#links(site)), ({ from }) => isWanted(from)),
      changes: () =>
        filtered(
          this.#needs.changes(),
          (event) => (site === undefined || event.site === site) && isWanted(event.url),
        ),
    }
  }

  async *#capturesOf(urls: readonly string[]): AsyncGenerator<ArchivedCapture> {
    for (const href of urls) {
      const url = tryParseLink(href)
      if (url === null) continue
      for await (const capture of this.#needs.network.archive.versions(url))
        if (capture.url === href) yield capture
    }
  }

  async *#linksOf(urls: readonly string[]): AsyncGenerator<PageLink> {
    const { links } = this.#needs.network
    for (const href of urls)
      yield* (await links.links({ direction: 'from', of: { kind: 'url', href }, limit: linksPerPageMax }))
        .links
  }

  *#links(site: string | undefined): Generator<PageLink> {
    const { graph, isHidden } = this.#needs
    for (const page of graph.pagesOf(site))
      if (!isHidden(page.href)) for (const link of graph.linksFrom(page)) if (!isHidden(link.to)) yield link
  }

  async *#paused<T>(list: Listed<T>): AsyncGenerator<T> {
    await this.#needs.graph.flush()
    let count = 0
    for await (const one of list) {
      yield one
      if (++count % rowsPerPause === 0) await this.#needs.breathe()
    }
  }
}

async function* filtered<T>(list: AsyncIterable<T>, isWanted: (one: T) => boolean): AsyncGenerator<T> {
  for await (const one of list) if (isWanted(one)) yield one
}

/** By way of a database file beside it, which is gone afterwards. */
export function parquetOf(table: TableName, rows: AsyncIterable<Row>, file: string): Promise<number> {
  return throughDuckDb(table, rows, file, writeParquet)
}

/** Into a folder that is not there yet, with folders for crawl days and ranges of sites. */
export function partitionedOf(table: TableName, rows: AsyncIterable<Row>, folder: string): Promise<number> {
  return throughDuckDb(table, rows, folder, writePartitions)
}

async function throughDuckDb(
  table: TableName,
  rows: AsyncIterable<Row>,
  target: string,
  write: typeof writeParquet,
): Promise<number> {
  const draft = `${target}.duckdb`
  try {
    await rm(draft, { force: true })
    const count = await writeTable(draft, table, rows)
    await write(draft, table, target)
    return count
  } finally {
    for (const path of [draft, `${draft}.wal`, `${draft}.spill`])
      await rm(path, { recursive: true, force: true })
  }
}
