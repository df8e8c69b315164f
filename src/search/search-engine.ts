// Search engine: the index of a peer behind orders of plain data, so that it can live in a thread of its own.
//
// A damaged index is thrown away and begun anew: its generation is another one then, and whoever fills it begins from the start.
// Merges happen between other orders. A query ends after a while with what it has, and says so.

import { PolyhistorError } from '../errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { KeyValue } from '../platform/storage/key-value.ts'
import { type PageCaptures, type PageChange, SearchIndex } from './index/search-index.ts'
import { noRanks, type RankList } from './query/page-ranks.ts'
import type { Found } from './query/result-list.ts'
import type { WordStatistics } from './query/scoring.ts'
import { type FoundList, Searching } from './query/searching.ts'
import type { NearWord } from './query/suggestion.ts'
import type { Territory } from './query/territory.ts'
import type { SearchAnswer, SearchHit, SearchQuestion } from './search-answer.ts'
import { SearchError } from './search-error.ts'

export type SearchOrder =
  | { readonly kind: 'missing'; readonly pages: readonly PageCaptures[] }
  | { readonly kind: 'apply'; readonly changes: readonly PageChange[] }
  | { readonly kind: 'commit' }
  | { readonly kind: 'search'; readonly question: SearchQuestion }
  /** The steps of a search by many peers: how common words are, the best, and what is shown of them. */
  | {
      readonly kind: 'count'
      readonly question: SearchQuestion
      readonly territory?: Territory | undefined
    }
  | {
      readonly kind: 'find'
      readonly question: SearchQuestion
      readonly statistics: WordStatistics
      readonly territory?: Territory | undefined
    }
  | { readonly kind: 'show'; readonly question: SearchQuestion; readonly found: readonly Found[] }
  | { readonly kind: 'near'; readonly words: readonly string[] }
  /** From now on scores count these ranks. */
  | { readonly kind: 'rank'; readonly ranks: RankList }
  | { readonly kind: 'pages'; readonly cursor: string; readonly limit: number }
  | { readonly kind: 'status' }
  /** Throws everything away. */
  | { readonly kind: 'wipe' }
  | { readonly kind: 'close' }

export interface SearchStatus {
  readonly pages: number
  readonly segments: number
  /** Another number after the index was begun anew. */
  readonly generation: number
}

export interface SearchResults {
  missing: (string[] | undefined)[]
  apply: undefined
  commit: SearchStatus
  search: SearchAnswer
  count: WordStatistics
  find: FoundList
  show: (SearchHit | undefined)[]
  near: (NearWord | undefined)[]
  rank: undefined
  pages: { hrefs: string[]; cursor: string | undefined }
  status: SearchStatus
  wipe: SearchStatus
  close: undefined
}

interface Needs {
  readonly clock: Clock
  /** `isFresh`: without what was there. */
  openMap(isFresh: boolean): Promise<KeyValue>
  breathe(): Promise<void>
}

const queryMsMax = 2_000

interface Opened {
  readonly map: KeyValue
  readonly index: SearchIndex
  readonly searching: Searching
}

export class SearchEngine {
  readonly #needs: Needs
  #opened: Promise<Opened> | undefined
  #ranks = noRanks
  #generation = 0
  #committing: Promise<void> | undefined
  #merging: Promise<void> | undefined
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async run<Kind extends keyof SearchResults>(
    order: SearchOrder & { readonly kind: Kind },
  ): Promise<SearchResults[Kind]> {
    try {
      return (await this.#do(order)) as SearchResults[Kind]
    } catch (error) {
      if (!isDamage(error)) throw error
      await this.#beginAnew()
      throw new SearchError(
        'search-index-damaged',
        'The search index was damaged. It is being made anew.',
        error,
      )
    }
  }

  async #do(order: SearchOrder): Promise<SearchResults[keyof SearchResults]> {
    if (order.kind === 'close') return this.#close()
    if (order.kind === 'wipe') {
      await this.#beginAnew()
      return this.#status()
    }
    if (this.#isClosed) throw new SearchError('search-not-ready', 'The search index is closed.')
    const { index, searching } = await this.#open()
    switch (order.kind) {
      case 'missing':
        return index.missing(order.pages)
      case 'apply':
        await this.#committing
        for (const change of order.changes) index.apply(change)
        if (index.isDue) await this.#commit()
        return undefined
      case 'commit':
        await this.#commit()
        return this.#status()
      case 'search':
        return searching.search(order.question, this.#limits())
      case 'count':
        return searching.count(order.question, order.territory)
      case 'find':
        return searching.find(order.question, { ...order, ...this.#limits() })
      case 'show':
        return searching.show(order.question, order.found)
      case 'near':
        return searching.near(order.words)
      case 'rank':
        this.#ranks = order.ranks
        searching.rankBy(order.ranks)
        return undefined
      case 'pages':
        return index.pagesAfter(order.cursor, order.limit)
      case 'status':
        return this.#status()
    }
  }

  #limits(): { isOver(): boolean } {
    const { clock } = this.#needs
    const endMs = clock.monotonicMs() + queryMsMax
    return { isOver: () => clock.monotonicMs() > endMs }
  }

  async #status(): Promise<SearchStatus> {
    const { index } = await this.#open()
    const { documents } = index.statistics
    return { pages: documents, segments: index.segments.length, generation: this.#generation }
  }

  async #commit(): Promise<void> {
    const { index } = await this.#open()
    await this.#committing
    this.#committing = index.commit().finally(() => {
      this.#committing = undefined
    })
    await this.#committing
    this.#merging ??= this.#merge(index).finally(() => {
      this.#merging = undefined
    })
  }

  /** In the background: what fails here fails again, and is seen, where it is waited for. */
  async #merge(index: SearchIndex): Promise<void> {
    try {
      while (!this.#isClosed && (await index.merge(() => this.#needs.breathe())));
    } catch (error) {
      if (isDamage(error)) await this.#beginAnew()
      else if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#openIndex(false).catch((error: unknown) => {
      if (!isDamage(error)) {
        this.#opened = undefined
        throw error
      }
      this.#generation++
      return this.#openIndex(true)
    })
    return this.#opened
  }

  async #openIndex(isFresh: boolean): Promise<Opened> {
    const map = await this.#needs.openMap(isFresh)
    try {
      const index = await SearchIndex.open(map)
      const searching = new Searching(index)
      searching.rankBy(this.#ranks)
      return { map, index, searching }
    } catch (error) {
      await map.close()
      throw error
    }
  }

  async #beginAnew(): Promise<void> {
    const before = this.#opened
    this.#generation++
    this.#opened = (async () => {
      const opened = await before?.catch(() => undefined)
      await this.#committing?.catch(() => {})
      await opened?.map.close().catch(() => {})
      return this.#openIndex(true)
    })()
    await this.#opened
  }

  async #close(): Promise<undefined> {
    this.#isClosed = true
    const opened = await this.#opened?.catch(() => undefined)
    await this.#merging
    await this.#committing
    await opened?.index.close()
    return undefined
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof PolyhistorError && /^(?:search-)?index-damaged$/.test(error.code)
}
