// Link graph: the links of the pages that this peer has captures of, by page and by target, with the time for which it saw them.
//
// All of it is derived from captures, and follows them: whoever keeps a page's captures has its links (graph-catch-up.ts), so that
// nothing is lost when a site goes to another peer, and nothing has to be sent. Pages are written in groups, and not synced: what a
// crash takes is derived again.
//
// Tables: `pages`, by site and href, the links of a page (page-record.ts); `seen`, when a page's newest version was seen last;
// `rendered`, which version of it was the newest of which a browser's links are in;
// `numbers`, a short number for each page; `targets` and `runs`, which pages link to what (link-postings.ts); `facts`, counters.
//
// Bounded: a page's record (page-record.ts), and what waits to be written. What was taken down the caller filters out.

import { hash } from 'node:crypto'
import { readableOr } from '../formats/wire/message-bytes.ts'
import type { PageLink } from '../model/page-link.ts'
import { type RingKey, ringKeyOfSite } from '../model/ring-key.ts'
import type { SiteKey } from '../model/url/site.ts'
import { tryParseUrl, type Url } from '../model/url/url.ts'
import type { KeyValue, Table } from '../platform/storage/key-value.ts'
import { LinkPostings, pageNumberMax, pagesPerRun } from './link-postings.ts'
import { linksOfList, listOfLinks, type PageLinks, packLinks } from './packed-links.ts'
import {
  decodeRecord,
  encodeRecord,
  type LinkChanges,
  linksIn,
  newRecord,
  type PageRecord,
  withVersion,
} from './page-record.ts'
import { rangeOfSite, rangeOfUrl, type TargetRange, targetsOf } from './target-key.ts'

export const graphTables: readonly string[] = [
  'pages',
  'seen',
  'rendered',
  'numbers',
  'targets',
  'runs',
  'facts',
]

type GraphPage = Pick<Url, 'href' | 'ringKey'>

/** `all`: the page is new, and so are all its links. */
export type SeenChanges = LinkChanges | 'all' | 'none'

/** The links of one version of a page. */
export interface GraphVersion {
  readonly atMs: number
  readonly links: PageLinks
  /** Those of its scripts among them. */
  readonly isRendered?: boolean | undefined
}

export interface PageTimes {
  readonly firstMs: number
  readonly lastMs: number
  /** The newest that a browser showed, with the links that its scripts wrote; 0 when there is none. */
  readonly renderedMs: number
}

const siteBytes = 8
const pageKeyBytes = 2 * siteBytes
const timeBytes = 6
/** Pages and links that wait to be written together. */
const pagesAtOnce = pagesPerRun / 2
const linksAtOnce = 60_000

interface Waiting {
  record?: PageRecord
  isNew?: boolean
  seenMs?: number
  renderedMs?: number
}

export class LinkGraph {
  readonly #keyValue: KeyValue
  readonly #pages: Table
  readonly #seen: Table
  readonly #rendered: Table
  readonly #numbers: Table
  readonly #facts: Table
  readonly #postings: LinkPostings
  /** By page key. */
  #waiting = new Map<string, Waiting>()
  #writing: ReadonlyMap<string, Waiting> = new Map()
  #flushing: Promise<void> | undefined
  #revision = 0
  #lastNumber: number
  #lastRun: number

  constructor(keyValue: KeyValue) {
    this.#keyValue = keyValue
    this.#pages = keyValue.table('pages')
    this.#seen = keyValue.table('seen')
    this.#rendered = keyValue.table('rendered')
    this.#numbers = keyValue.table('numbers')
    this.#facts = keyValue.table('facts')
    this.#postings = new LinkPostings({
      targets: keyValue.table('targets'),
      runs: keyValue.table('runs'),
    })
    this.#lastNumber = this.#fact('pages')
    this.#lastRun = this.#fact('runs')
  }

  /** Another number when links may have changed. */
  get revision(): number {
    return this.#revision
  }

  /** Whether so much waits that it should be written now. */
  get isDue(): boolean {
    const { waitingPages, waitingLinks } = this.#postings
    return this.#waiting.size >= pagesAtOnce || waitingPages >= pagesAtOnce || waitingLinks >= linksAtOnce
  }

  /** A version of the page had these links, those of its scripts among them where it `isRendered`. What is older than what is
   * known of it changes nothing. */
  note(page: GraphPage, atMs: number, links: PageLinks, { isRendered = false } = {}): SeenChanges {
    const key = pageKey(page)
    const known = this.#recordOf(key, page.href)
    if (isRendered && (known !== undefined || links.marks.length > 0)) this.#wait(key).renderedMs = atMs
    if (known === undefined)
      return links.marks.length === 0 ? 'none' : this.#noteFirst(key, page, atMs, links)
    const seenMs = this.#seenMsOf(key, known)
    if (atMs <= seenMs) return 'none'
    if (hasOnly(known, links)) {
      this.#wait(key).seenMs = atMs
      return 'none'
    }
    const { record, changes } = withVersion(known, listOfLinks(links), atMs, seenMs)
    this.#revision++
    Object.assign(this.#wait(key), { record, seenMs: atMs })
    if (changes.added.length > 0) this.#postLinks(record.number, linksOfList(changes.added))
    return changes
  }

  /** All that is known of a page, made anew from all its versions, oldest first. */
  replace(page: GraphPage, versions: Iterable<GraphVersion>): void {
    const key = pageKey(page)
    const number = this.#recordOf(key, page.href)?.number ?? this.#nextNumber()
    let record: PageRecord | undefined
    let seenMs = 0
    for (const { atMs, links, isRendered = false } of versions) {
      if (isRendered) this.#wait(key).renderedMs = atMs
      this.#postLinks(number, links)
      if (record === undefined) record = newRecord(page.href, number, atMs, links)
      else if (!hasOnly(record, links)) record = withVersion(record, listOfLinks(links), atMs, seenMs).record
      seenMs = atMs
    }
    this.#revision++
    if (record !== undefined) Object.assign(this.#wait(key), { record, isNew: true, seenMs })
  }

  /** When the page's first and last version were seen that the graph knows of. */
  timesOf(page: GraphPage): PageTimes | undefined {
    const key = pageKey(page)
    const record = this.#recordOf(key, page.href)
    if (record === undefined) return undefined
    const { firstMs } = record
    return { firstMs, lastMs: this.#seenMsOf(key, record), renderedMs: this.#renderedMsOf(key) }
  }

  *linksFrom(page: GraphPage): Generator<PageLink> {
    const key = pageKey(page)
    const record = this.#recordOf(key, page.href)
    if (record !== undefined) yield* linksIn(record, this.#seenMsOf(key, record))
  }

  *linksFromSite(site: string): Generator<PageLink> {
    for (const page of this.pagesOf(site)) yield* this.linksFrom(page)
  }

  *linksTo(href: string): Generator<PageLink> {
    yield* this.#linksToAny(rangeOfUrl(href), (to) => to === href)
  }

  *linksToSite(site: string): Generator<PageLink> {
    yield* this.#linksToAny(rangeOfSite(site), (to) => tryParseUrl(to)?.site === site)
  }

  /** Of a site, or of all; those that were written, by site and then in no order. */
  *pagesOf(site?: string): Generator<GraphPage> {
    const from = site === undefined ? Buffer.alloc(1) : siteKey(ringKeyOfSite(site as SiteKey))
    const to = Buffer.concat([
      site === undefined ? Buffer.alloc(siteBytes, 0xff) : from,
      Buffer.alloc(9, 0xff),
    ])
    for (const [, value] of this.#pages.range({ from, to })) {
      const record = readableOr(() => decodeRecord(value), undefined)
      const url = record && tryParseUrl(record.href)
      if (url) yield url
    }
  }

  /** The page's captures are here no more. */
  async forget(pages: readonly GraphPage[]): Promise<void> {
    await this.flush()
    this.#revision++
    await this.#keyValue.transaction(() => {
      for (const page of pages) {
        const key = Buffer.from(pageKey(page), 'latin1')
        const value = this.#pages.get(key)
        const number = value && readableOr(() => decodeRecord(value).number, undefined)
        if (number !== undefined) this.#numbers.remove(numberKey(number))
        this.#pages.remove(key)
        this.#seen.remove(key)
        this.#rendered.remove(key)
      }
    })
  }

  #fact(name: string): number {
    const value = this.#facts.get(Buffer.from(name))
    return value?.length === timeBytes ? Buffer.from(value).readUIntBE(0, timeBytes) : 0
  }

  /** Resolves when all that was noted so far is written. */
  async flush(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing
    if (this.#waiting.size === 0) return
    this.#flushing = this.#write().finally(() => {
      this.#flushing = undefined
    })
    await this.#flushing
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#keyValue.close()
  }

  #noteFirst(key: string, { href }: GraphPage, atMs: number, links: PageLinks): 'all' {
    const record = newRecord(href, this.#nextNumber(), atMs, links)
    this.#revision++
    Object.assign(this.#wait(key), { record, isNew: true })
    this.#postLinks(record.number, links)
    return 'all'
  }

  #postLinks(number: number, { hrefs, marks, targets }: PageLinks): void {
    this.#postings.add(number, targets ?? targetsOf(hrefs, marks.length))
  }

  *#linksToAny(range: TargetRange, isWanted: (to: string) => boolean): Generator<PageLink> {
    const looked = new Set<number>()
    for (const number of this.#postings.pagesOf(range)) {
      if (looked.has(number)) continue
      looked.add(number)
      const found = this.#recordByNumber(number)
      if (found === undefined) continue
      for (const link of linksIn(found.record, this.#seenMsOf(found.key, found.record)))
        if (isWanted(link.to)) yield link
    }
  }

  #recordByNumber(number: number): { key: string; record: PageRecord } | undefined {
    const stored = this.#numbers.get(numberKey(number))
    // The disk may have damaged it, and a table takes no key of any length.
    if (stored !== undefined && stored.length !== pageKeyBytes) return undefined
    const key = stored && Buffer.from(stored).toString('latin1')
    const record = key === undefined ? this.#waitingByNumber(number) : { key, record: this.#recordOf(key) }
    return record?.record?.number === number ? (record as { key: string; record: PageRecord }) : undefined
  }

  #waitingByNumber(number: number): { key: string; record: PageRecord } | undefined {
    for (const waiting of [this.#waiting, this.#writing])
      for (const [key, { record }] of waiting) if (record?.number === number) return { key, record }
    return undefined
  }

  #recordOf(key: string, href?: string): PageRecord | undefined {
    const waiting = this.#waiting.get(key)?.record ?? this.#writing.get(key)?.record
    if (waiting !== undefined) return waiting
    const stored = this.#pages.get(Buffer.from(key, 'latin1'))
    const record = stored && readableOr(() => decodeRecord(stored), undefined)
    return record && (href === undefined || record.href === href) ? record : undefined
  }

  #seenMsOf(key: string, { lastMs }: PageRecord): number {
    const waiting = this.#waiting.get(key)?.seenMs ?? this.#writing.get(key)?.seenMs
    if (waiting !== undefined) return Math.max(lastMs, waiting)
    const stored = this.#seen.get(Buffer.from(key, 'latin1'))
    return stored?.length === timeBytes
      ? Math.max(lastMs, Buffer.from(stored).readUIntBE(0, timeBytes))
      : lastMs
  }

  #renderedMsOf(key: string): number {
    const waiting = this.#waiting.get(key)?.renderedMs ?? this.#writing.get(key)?.renderedMs
    if (waiting !== undefined) return waiting
    const stored = this.#rendered.get(Buffer.from(key, 'latin1'))
    return stored?.length === timeBytes ? Buffer.from(stored).readUIntBE(0, timeBytes) : 0
  }

  #wait(key: string): Waiting {
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) return waiting
    const fresh: Waiting = {}
    this.#waiting.set(key, fresh)
    return fresh
  }

  #nextNumber(): number {
    return (this.#lastNumber = Math.min(pageNumberMax, this.#lastNumber + 1))
  }

  async #write(): Promise<void> {
    const writing = this.#waiting
    this.#writing = writing
    this.#waiting = new Map()
    const run = this.#postings.beginRun(++this.#lastRun)
    try {
      await this.#keyValue.transaction(() => {
        for (const [text, { record, isNew, seenMs, renderedMs }] of writing) {
          const key = Buffer.from(text, 'latin1')
          if (record !== undefined) this.#pages.put(key, encodeRecord(record))
          if (record !== undefined && isNew) this.#numbers.put(numberKey(record.number), key)
          if (seenMs !== undefined) this.#seen.put(key, timeValue(seenMs))
          if (renderedMs !== undefined) this.#rendered.put(key, timeValue(renderedMs))
        }
        run.write()
        this.#facts.put(Buffer.from('pages'), timeValue(this.#lastNumber))
        this.#facts.put(Buffer.from('runs'), timeValue(this.#lastRun))
      })
    } finally {
      this.#writing = new Map()
      run.end()
    }
  }
}

/** Whether the newest version had just these. */
function hasOnly({ href, blocks }: PageRecord, links: PageLinks): boolean {
  const open = blocks.filter(({ goneMs }) => goneMs === undefined)
  if (open.length === 0) return links.marks.length === 0
  return open.length === 1 && Buffer.compare(open[0]!.packed, packLinks(links, href)) === 0
}

function siteKey(ringKey: RingKey): Buffer {
  return Buffer.from(ringKey.slice(0, 2 * siteBytes), 'hex')
}

/** As latin1. */
function pageKey({ href, ringKey }: GraphPage): string {
  return siteKey(ringKey).toString('latin1') + hash('sha1', href, 'latin1').slice(0, siteBytes)
}

function numberKey(number: number): Buffer {
  return timeValue(number)
}

function timeValue(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(timeBytes)
  bytes.writeUIntBE(value, 0, timeBytes)
  return bytes
}
