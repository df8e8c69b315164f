// Searching: a question put to an index of this peer.

import { LruCache } from '../../model/lru-cache.ts'
import { runAt, type TextRun } from '../index/page-versions.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Segment } from '../index/segment.ts'
import {
  hitsMax,
  type SearchAnswer,
  type SearchFacets,
  type SearchHit,
  type SearchQuestion,
} from '../search-answer.ts'
import { noRanks, PageRanks, type RankList } from './page-ranks.ts'
import { bad, parseQuery, timeAt } from './parse-query.ts'
import { isFilter, type Query, type QueryTime, type Unit } from './query.ts'
import { type Found, parsePlace, printPlace, ResultList } from './result-list.ts'
import {
  countOf,
  type StatisticsScope,
  scoresOf,
  sizeOf,
  type WordStatistics,
  wholeScope,
} from './scoring.ts'
import { matchingDocuments, type PreparedClause, type WasCurrent } from './segment-matching.ts'
import { snippetOf } from './snippet.ts'
import { type NearWord, nearestWord } from './suggestion.ts'
import { nameOfTerritory, type Territory, TerritoryCache } from './territory.ts'
import {
  countsIn,
  groupsOf,
  languageOfQuery,
  nameOfGroup,
  siteOfQuery,
  type TermGroup,
} from './unit-terms.ts'

export interface SearchingOptions {
  /** Of all peers; those of this index unless given. */
  readonly statistics?: WordStatistics | undefined
  /** Only pages of this part of the ring. */
  readonly territory?: Territory | undefined
  /** Whether it has taken long enough. */
  readonly isOver?: (() => boolean) | undefined
}

interface Prepared {
  readonly query: Query
  readonly clauses: readonly PreparedClause[]
  /** Of all words that count for the score, in the order of the query. */
  readonly scored: readonly TermGroup[]
  /** Statistics are those of this site. */
  readonly site: TermGroup | undefined
}

/** The best of a list, without what is shown of them. */
export interface FoundList {
  readonly total: number
  readonly isPartial: boolean
  /** One more than were asked for, where there are more. */
  readonly best: readonly Found[]
  readonly facets: SearchFacets | undefined
}

const countsCached = 10_000
const territoriesCached = 32

export class Searching {
  readonly #index: SearchIndex
  readonly #counts = new LruCache<string, number>({ max: countsCached })
  readonly #sizes = new LruCache<string, { documents: number; words: number }>({ max: countsCached })
  readonly #territories: TerritoryCache
  #countsRevision = -1
  #ranks = new PageRanks(noRanks)

  constructor(index: SearchIndex) {
    this.#index = index
    this.#territories = new TerritoryCache(index, territoriesCached)
  }

  search(question: SearchQuestion, options: SearchingOptions = {}): SearchAnswer {
    const { best, ...list } = this.find(question, options)
    const shown = best.slice(0, question.limit)
    const hits = this.show(question, shown)
    const last = shown.at(-1)
    return {
      ...list,
      hits: hits.filter((hit) => hit !== undefined),
      cursor: best.length > shown.length && last !== undefined ? printPlace(last) : undefined,
      suggestion: list.total === 0 ? this.#suggestion(question) : undefined,
      pages: this.#index.statistics.documents,
      missing: [],
    }
  }

  find(question: SearchQuestion, options: SearchingOptions = {}): FoundList {
    const { limit, cursor, hasFacets = false } = question
    const prepared = prepare(question)
    const { query, clauses, scored } = prepared
    const { isOver, territory } = options
    const statistics = options.statistics ?? this.#statisticsOf(prepared, territory)
    if (statistics.counts.length !== scored.length) throw bad('The statistics are those of another query.')
    const after = cursor === undefined ? undefined : parsePlace(cursor)
    const list = new ResultList({ limit, after, hasVersions: query.time.kind === 'between', hasFacets })
    const marks = territory && this.#territories.of(territory)
    for (const segment of this.#index.segments) {
      if (isOver?.() === true) {
        list.isPartial = true
        break
      }
      const matching = matchingDocuments(segment, clauses, query.time, this.#wasCurrent)
      const documents = matching.length > 0 && marks ? marked(matching, marks.of(segment)) : matching
      if (documents.length === 0) continue
      const scores = scoresOf(segment, documents, scored, statistics)
      const factors = this.#ranks.of(segment)
      if (factors !== undefined)
        for (let at = 0; at < documents.length; at++) scores[at] = scores[at]! * factors[documents[at]!]!
      list.add(segment, documents, scores)
    }
    const best = list.best()
    const facets = hasFacets ? list.facets() : undefined
    return { total: list.total, isPartial: list.isPartial, best, facets }
  }

  /** undefined for what is not there any more. */
  show(question: SearchQuestion, found: readonly Found[]): (SearchHit | undefined)[] {
    const { query, scored } = prepare(question)
    return found.map((each) => this.#hitOf(each, query.time, scored.flat()))
  }

  /** From now on scores count these. */
  rankBy(ranks: RankList): void {
    this.#ranks = new PageRanks(ranks)
  }

  /** How common the words of a question are. */
  count(question: SearchQuestion, territory?: Territory): WordStatistics {
    return this.#statisticsOf(prepare(question), territory)
  }

  /** For each word that no page has the nearest that some do. */
  near(words: readonly string[]): (NearWord | undefined)[] {
    return words.map((word) => {
      const group = groupsOf({ kind: 'word', words: [word] }, undefined)[0]!
      if (this.#countOf(group, wholeScope, '') > 0) return { word, far: 0, count: 0 }
      return nearestWord(word, this.#index.segments, this.#index.blocks)
    })
  }

  #statisticsOf({ scored, site }: Prepared, territory: Territory | undefined): WordStatistics {
    const marks = territory && this.#territories.of(territory)
    const scope = { marksOf: (segment: Segment) => marks?.of(segment), site }
    const name = `${territory ? nameOfTerritory(territory) : ''}\n${site ? nameOfGroup(site) : ''}\n`
    const counts = scored.map((group) => this.#countOf(group, scope, name))
    if (territory === undefined && site === undefined) return { ...this.#index.statistics, counts }
    this.#forgetOld()
    let size = this.#sizes.get(name)
    if (size === undefined) this.#sizes.set(name, (size = sizeOf(this.#index.segments, scope)))
    return { ...size, counts }
  }

  #countOf(group: TermGroup, scope: StatisticsScope, scopeName: string): number {
    this.#forgetOld()
    const name = scopeName + nameOfGroup(group)
    let count = this.#counts.get(name)
    if (count === undefined) this.#counts.set(name, (count = countOf(this.#index.segments, group, scope)))
    return count
  }

  #forgetOld(): void {
    if (this.#countsRevision === this.#index.revision) return
    this.#counts.clear()
    this.#sizes.clear()
    this.#countsRevision = this.#index.revision
  }

  #wasCurrent: WasCurrent = ({ columns }, index, atMs) => {
    const document = columns.ids[index]!
    const text = this.#index.textOf(document)
    const runs = text && this.#index.versionsOf(text.href)?.runs
    return runs !== undefined && runAt(runs, atMs)?.document === document
  }

  #hitOf({ document, score }: Found, time: QueryTime, terms: TermGroup): SearchHit | undefined {
    const text = this.#index.textOf(document)
    const versions = text && this.#index.versionsOf(text.href)
    if (text === undefined || versions === undefined) return undefined
    const own = versions.runs.filter((run) => run.document === document)
    const run = own.findLast((each) => isWithin(each, time)) ?? own.at(-1)
    if (run === undefined) return undefined
    const { firstMs, lastMs, endMs } = run
    const wanted = terms.filter((term) => countsIn(term, text.language))
    return {
      href: text.href,
      timeMs: time.kind === 'at' && lastMs > time.atMs ? firstMs : lastMs,
      title: text.title,
      snippet: snippetOf(text, new Set(wanted.map(({ term }) => term))),
      score,
      language: text.language,
      type: text.type,
      version: { firstMs, lastMs, endMs },
      versions: Object.keys(versions.texts).length,
    }
  }

  #suggestion(question: SearchQuestion): string | undefined {
    const words = wordsToCorrect(question)
    return correctedText(question.text, words, this.near(words))
  }
}

/** Those that lie in the territory. */
function marked(documents: Int32Array, marks: Uint8Array): Int32Array {
  return documents.filter((index) => marks[index] !== 0)
}

/** The words of a question that pages must have. */
export function wordsToCorrect(question: SearchQuestion): string[] {
  const words = prepare(question)
    .query.clauses.filter(({ isExcluded }) => !isExcluded)
    .flatMap(({ alternatives }) => alternatives)
    .filter((unit) => !isFilter(unit) && unit.kind !== 'url')
    .flatMap((unit) => unit.words)
  return [...new Set(words)]
}

/** The question as it was perhaps meant; undefined where nothing is nearer. */
export function correctedText(
  text: string,
  words: readonly string[],
  nearest: readonly (NearWord | undefined)[],
): string | undefined {
  let corrected = text
  for (const [index, word] of words.entries()) {
    const near = nearest[index]
    const at = near === undefined || near.far === 0 ? -1 : corrected.toLowerCase().indexOf(word)
    if (at !== -1) corrected = corrected.slice(0, at) + near!.word + corrected.slice(at + word.length)
  }
  return corrected === text ? undefined : corrected
}

export function prepare(question: SearchQuestion): Prepared {
  if (!Number.isSafeInteger(question.limit) || question.limit < 1 || question.limit > hitsMax)
    throw bad(`Between 1 and ${hitsMax} results are given at a time.`)
  const query = withOptions(parseQuery(textWithSite(question)), question)
  const language = languageOfQuery(query)
  const scored: TermGroup[] = []
  const clauses = query.clauses.map(({ alternatives, isExcluded }) => ({
    isExcluded,
    units: alternatives.map((unit: Unit) => {
      const groups = groupsOf(unit, language)
      if (!isExcluded && !isFilter(unit)) scored.push(...groups)
      return { groups }
    }),
  }))
  const site = siteOfQuery(query)
  const siteTerms = site === undefined ? undefined : groupsOf({ kind: 'site', words: [site] }, undefined)[0]
  return { query, clauses, scored, site: siteTerms }
}

function textWithSite({ text, site }: SearchQuestion): string {
  return site === undefined || site === ''
    ? text
    : `${text} site:${JSON.stringify(site).replaceAll('\\', '')}`
}

function withOptions(query: Query, { at }: SearchQuestion): Query {
  if (at === undefined || at === '') return query
  if (query.time.kind !== 'newest')
    throw bad('The query names a time, and the option another one. Leave one of them out.')
  return { ...query, time: timeAt(at) }
}

function isWithin({ firstMs, lastMs, endMs }: TextRun, time: QueryTime): boolean {
  if (time.kind === 'newest') return true
  if (time.kind === 'between') return firstMs < time.toMs && lastMs >= time.fromMs
  return firstMs <= time.atMs && (endMs === null || time.atMs < endMs)
}
