// Search index: the texts of pages by their words, in one map of this peer.
//
// A document is one text of one page; it is current in one or more spans of time (page-versions.ts). Documents are gathered, and
// written as a segment together with what they changed of their pages, in one transaction: after a crash the index is as it was
// after some segment, and whoever follows the captures sees what is missing (search-follower.ts).
//
// Tables: `blocks`, terms and postings by segment; `segments`, the columns of each; `marks`, what changed of documents since their
// segment was written; `texts`, what results show of documents (text-groups.ts); `pages`, the versions of a page; `facts`.
//
// Derived from captures, all of it: when something does not read as it was written, the whole is thrown away and made anew.

import assert from 'node:assert/strict'
import { LruCache } from '../../model/lru-cache.ts'
import { tryParseLink } from '../../model/url/url.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import type { AnalysedPage } from '../text/analysed-page.ts'
import { type DocumentText, decodeText } from '../text/document-text.ts'
import { Columns, type DocumentState, isNewestFlag } from './columns.ts'
import { decodeState, noState, stateOf } from './document-state.ts'
import { documentKey, pageKey, pageNumber } from './index-keys.ts'
import { beginMerge, columnsOfMerge, segmentsToMerge } from './merging.ts'
import {
  capturesMax,
  decodeVersions,
  type IndexedCapture,
  type PageVersions,
  runsOf,
  signatureOf,
} from './page-versions.ts'
import { PendingChanges } from './pending-changes.ts'
import type { PostingList } from './posting-list.ts'
import { damaged, sealed, unsealed } from './sealed-bytes.ts'
import { type PostingCache, Segment } from './segment.ts'
import { removeBlocks, removeLeftOver } from './segment-removal.ts'
import { segmentKey } from './term-blocks.ts'
import { textAt } from './text-groups.ts'

export const searchTables: readonly string[] = ['blocks', 'segments', 'marks', 'texts', 'pages', 'facts']

export interface PageCaptures {
  readonly href: string
  /** Oldest first; none where the page is to be forgotten. */
  readonly captures: readonly IndexedCapture[]
}

export interface PageChange extends PageCaptures {
  /** Of contents that were not known; undefined for those without text. */
  readonly analysed: readonly (readonly [content: string, page: AnalysedPage | undefined])[]
}

const formatVersion = 2
const documentsPerSegment = 8_000
/** Of pages that wait. */
const bytesPerSegment = 32 * 1024 * 1024
const cacheBytes = 64 * 1024 * 1024

export class SearchIndex {
  readonly #keyValue: KeyValue
  readonly #blocks: Table
  readonly #segmentTable: Table
  readonly #marks: Table
  readonly #texts: Table
  readonly #pages: Table
  readonly #facts: Table
  readonly #cache: PostingCache = new LruCache<string, PostingList | 'none'>({
    bytesMax: cacheBytes,
    sizeOf: (list) => (list === 'none' ? 100 : 200 + 5 * list.documents.length + list.places.length),
  })
  #segments: Segment[] = []
  #pending = new PendingChanges()
  #nextDocument = 1
  #nextSegment = 1
  #documents = 0
  #words = 0
  #revision = 0
  #isWriting = false

  private constructor(keyValue: KeyValue) {
    this.#keyValue = keyValue
    this.#blocks = keyValue.table('blocks')
    this.#segmentTable = keyValue.table('segments')
    this.#marks = keyValue.table('marks')
    this.#texts = keyValue.table('texts')
    this.#pages = keyValue.table('pages')
    this.#facts = keyValue.table('facts')
  }

  /** Rejects with 'search-index-damaged' where it is not as it was written. */
  static async open(keyValue: KeyValue): Promise<SearchIndex> {
    const index = new SearchIndex(keyValue)
    await index.#load()
    return index
  }

  get segments(): readonly Segment[] {
    return this.#segments
  }

  get blocks(): Table {
    return this.#blocks
  }

  /** Another number whenever answers may be others. */
  get revision(): number {
    return this.#revision
  }

  /** Of the newest texts of pages. */
  get statistics(): { documents: number; words: number } {
    return { documents: this.#documents, words: this.#words }
  }

  get isDue(): boolean {
    return (
      this.#pending.builder.count >= documentsPerSegment || this.#pending.builder.bytes >= bytesPerSegment
    )
  }

  /** Of each page the contents that must be read for it; undefined where nothing has changed. */
  missing(pages: readonly PageCaptures[]): (string[] | undefined)[] {
    return pages.map(({ href, captures }) => {
      const some = captures.slice(-capturesMax)
      const known = this.versionsOf(href)
      if (some.length === 0) return known === undefined ? undefined : []
      if (known?.signature === signatureOf(some)) return undefined
      const names = new Set(some.map(({ content }) => content).filter((content) => content !== ''))
      return [...names].filter((content) => known?.contents[content] === undefined)
    })
  }

  /** Not while a commit is under way. */
  apply({ href, captures, analysed }: PageChange): void {
    assert(!this.#isWriting)
    const key = pageKey(href)
    const known = this.versionsOf(href)
    const some = captures.slice(-capturesMax)
    if (some.length === 0) {
      for (const document of Object.values(known?.texts ?? {})) this.#set(document, noState)
      this.#pending.pages.set(key, undefined)
      return
    }
    const texts: Record<string, number> = { ...known?.texts }
    const contents: Record<string, number> = {}
    for (const { content } of some) {
      const document = known?.contents[content]
      if (document !== undefined) contents[content] = document
    }
    for (const [content, page] of analysed)
      contents[content] = page === undefined ? 0 : (texts[page.textName] ??= this.#add(href, page))
    const runs = runsOf(some, contents)
    const current = new Set(runs.map(({ document }) => document))
    for (const [name, document] of Object.entries(texts)) {
      this.#set(document, stateOf(document, runs))
      if (!current.has(document)) delete texts[name]
    }
    const signature = signatureOf(some)
    this.#pending.pages.set(key, { href, signature, texts, contents, runs, captures: some.length })
  }

  versionsOf(href: string): PageVersions | undefined {
    return this.#versionsAt(pageKey(href), href)
  }

  textOf(document: number): DocumentText | undefined {
    const bytes = textAt(this.#texts, document)
    if (bytes === undefined) return undefined
    const text = decodeText(bytes)
    if (text === undefined) throw damaged()
    return text
  }

  /** Of pages that are written, from behind that one on. */
  pagesAfter(cursor: string, limit: number): { hrefs: string[]; cursor: string | undefined } {
    const from = Buffer.concat([Buffer.from(cursor, 'latin1'), Buffer.alloc(1)])
    const entries = [...this.#pages.range({ from, limit })]
    const hrefs = entries.map(([, value]) => decodeVersions(value).href)
    const last = entries.at(-1)
    const isEnd = entries.length < limit || last === undefined
    return { hrefs, cursor: isEnd ? undefined : Buffer.from(last[0]).toString('latin1') }
  }

  /** Writes what waits: then it is found. */
  async commit(): Promise<void> {
    if (this.#isWriting || this.#pending.isEmpty) return
    this.#isWriting = true
    try {
      await this.#write()
    } finally {
      this.#isWriting = false
    }
  }

  /** Merges once, where that is due. `breathe` lets queries have their turn. */
  async merge(breathe: () => Promise<void>): Promise<boolean> {
    const some = segmentsToMerge(this.#segments)
    if (some === undefined) return false
    const number = this.#nextSegment++
    const merge = beginMerge(some, this.#blocks, number)
    let blocks: [Uint8Array, Uint8Array][] = []
    const write = async (): Promise<void> => {
      const some = blocks
      blocks = []
      await this.#keyValue.transaction(() => {
        for (const [key, value] of some) this.#blocks.put(key, value)
      })
      await breathe()
    }
    for (const _ of merge.steps((key, value) => blocks.push([key, value]))) await write()
    await write()
    const columns = columnsOfMerge(merge)
    await this.#keyValue.transaction(() => {
      this.#segmentTable.put(segmentKey(number), sealed(columns.encode()))
      for (const [{ columns: old }, index] of merge.documents)
        this.#marks.remove(documentKey(old.ids[index]!))
      for (const { number: old } of some) this.#segmentTable.remove(segmentKey(old))
      this.#putFacts()
    })
    // What changed while that was written is among the marks that wait.
    for (const [index, [{ columns: old }, at]] of merge.documents.entries())
      columns.set(index, old.factsOf(at))
    const place = this.#segments.indexOf(some[0]!)
    const merged = new Segment(number, columns, { blocks: this.#blocks, cache: this.#cache })
    this.#segments.splice(place, some.length, ...(columns.count > 0 ? [merged] : []))
    for (const { number: old } of some) await removeBlocks(this.#keyValue, this.#blocks, old)
    return true
  }

  async flush(): Promise<void> {
    await this.commit()
    await this.#keyValue.flush()
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#keyValue.close()
  }

  #add(href: string, page: AnalysedPage): number {
    const id = this.#nextDocument++
    const { language, type, length } = page
    const site = tryParseLink(href)?.site ?? ''
    this.#pending.builder.add({ id, page: pageNumber(href), site, language, type, length }, page.terms)
    this.#pending.texts.set(id, page.shown)
    return id
  }

  #set(document: number, state: DocumentState): void {
    if (this.#pending.builder.set(document, state)) return
    const found = this.#find(document)
    if (found === undefined) return
    const { columns, index } = found
    if (
      columns.flags[index] === state.flags &&
      columns.fromMs[index] === state.fromMs &&
      columns.lastMs[index] === state.lastMs &&
      columns.toMs[index] === state.toMs
    )
      return
    this.#count(columns, index, -1)
    columns.set(index, state)
    this.#count(columns, index, 1)
    this.#pending.marks.set(document, state)
    this.#revision++
  }

  #find(document: number): { columns: Columns; index: number } | undefined {
    for (const { columns } of this.#segments) {
      const index = columns.indexOf(document)
      if (index !== -1) return { columns, index }
    }
    return undefined
  }

  #count(columns: Columns, index: number, sign: 1 | -1): void {
    if ((columns.flags[index]! & isNewestFlag) === 0) return
    this.#documents += sign
    this.#words += sign * columns.lengths[index]!
  }

  #versionsAt(key: string, href: string): PageVersions | undefined {
    if (this.#pending.pages.has(key)) return this.#pending.pages.get(key)
    const value = this.#pages.get(Buffer.from(key, 'latin1'))
    const page = value && decodeVersions(value)
    return page?.href === href ? page : undefined
  }

  async #write(): Promise<void> {
    const pending = this.#pending
    const number = this.#nextSegment++
    const columns = pending.builder.columns()
    const isSegment = columns.count > 0
    await this.#keyValue.transaction(() => {
      if (isSegment) {
        pending.builder.write(number, (key, value) => this.#blocks.put(key, value))
        this.#segmentTable.put(segmentKey(number), sealed(columns.encode()))
      }
      pending.write({ pages: this.#pages, texts: this.#texts, marks: this.#marks })
      this.#putFacts()
    })
    this.#pending = new PendingChanges()
    if (isSegment) this.#take(number, columns)
    this.#revision++
  }

  #take(number: number, columns: Columns): void {
    this.#segments.push(new Segment(number, columns, { blocks: this.#blocks, cache: this.#cache }))
    for (let index = 0; index < columns.count; index++) this.#count(columns, index, 1)
  }

  #putFacts(): void {
    const facts = [formatVersion, this.#nextDocument, this.#nextSegment]
    this.#facts.put(factsKey, sealed(Buffer.from(JSON.stringify(facts))))
  }

  async #load(): Promise<void> {
    const stored = this.#facts.get(factsKey)
    if (stored === undefined) return
    const [version, document, segment] = JSON.parse(unsealed(stored).toString()) as number[]
    if (version !== formatVersion || !document || !segment) throw damaged()
    this.#nextDocument = document
    this.#nextSegment = segment
    const loaded = [...this.#segmentTable.range()].map(
      ([key, value]) => [Buffer.from(key).readUInt32BE(), Columns.decode(unsealed(value))] as const,
    )
    loaded.sort(([, one], [, other]) => (one.ids[0] ?? 0) - (other.ids[0] ?? 0))
    for (const [key, value] of this.#marks.range()) applyMark(loaded, key, value)
    for (const [number, columns] of loaded) this.#take(number, columns)
    const known = new Set(loaded.map(([number]) => number))
    this.#nextSegment = Math.max(this.#nextSegment, await removeLeftOver(this.#keyValue, this.#blocks, known))
  }
}

const factsKey = Buffer.from('facts')

function applyMark(
  loaded: readonly (readonly [number, Columns])[],
  key: Uint8Array,
  value: Uint8Array,
): void {
  const document = Buffer.from(key).readUIntBE(0, 6)
  for (const [, columns] of loaded) {
    const index = columns.indexOf(document)
    if (index !== -1) columns.set(index, decodeState(value))
  }
}
