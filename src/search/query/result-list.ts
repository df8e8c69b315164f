// Result list: of all matches the best, one for each page, and how many there are by site, year, type and language.
//
// Where two score alike the page's number decides, which is the same on every peer. So a place in the list is a score and a number,
// and the list goes on from there however long ago that was.
//
// Bounded: so many results are kept as are asked for; pages that have several versions in the search are told apart up to a limit,
// beyond which the answer is partial.

import type { Segment } from '../index/segment.ts'
import type { FacetCount, SearchFacets } from '../search-answer.ts'
import { documentTypes } from '../text/page-text.ts'
import { bad } from './parse-query.ts'

export interface Found {
  readonly score: number
  readonly page: number
  readonly document: number
}

export interface ListPlace {
  readonly score: number
  readonly page: number
}

const pagesToldApart = 500_000
const facetsShown = 12
const counted = 2 ** 32

export class ResultList {
  readonly #limit: number
  readonly #after: ListPlace | undefined
  /** Best first. */
  #best: Found[] = []
  /** Where a page can be there with several versions: its best. */
  readonly #pages: Map<number, Found> | undefined
  readonly #sites = new Map<string, number>()
  readonly #years = new Map<number, number>()
  readonly #languages = new Map<string, number>()
  readonly #types: number[] = documentTypes.map(() => 0)
  readonly #countsFacets: boolean
  #total = 0
  isPartial = false

  constructor(options: {
    limit: number
    after: ListPlace | undefined
    hasVersions: boolean
    hasFacets: boolean
  }) {
    this.#limit = options.limit
    this.#after = options.after
    this.#pages = options.hasVersions ? new Map() : undefined
    this.#countsFacets = options.hasFacets
  }

  add({ columns }: Segment, documents: Int32Array, scores: Float64Array): void {
    const { pages, ids } = columns
    for (let at = 0; at < documents.length; at++) {
      const index = documents[at]!
      const [score, page] = [scores[at]!, pages[index]!]
      if (this.#pages === undefined) {
        this.#total++
        this.#offer(score, page, ids[index]!)
      } else this.#note(this.#pages, { score, page, document: ids[index]! })
    }
    if (this.#countsFacets) this.#count(columns, documents)
  }

  get total(): number {
    return Math.min(counted, this.#pages?.size ?? this.#total)
  }

  /** One more than the limit, where there are more. */
  best(): readonly Found[] {
    if (this.#pages !== undefined) {
      this.#best = []
      for (const { score, page, document } of this.#pages.values()) this.#offer(score, page, document)
    }
    return this.#best
  }

  facets(): SearchFacets {
    const years = [...this.#years].toSorted(([one], [other]) => one - other)
    const types = documentTypes.map((name, index) => ({ name, count: this.#types[index]! }))
    return {
      sites: largest(this.#sites),
      years: years.map(([year, count]) => ({ name: String(year), count })),
      types: types.filter(({ count }) => count > 0),
      languages: largest(this.#languages),
    }
  }

  #note(pages: Map<number, Found>, found: Found): void {
    const known = pages.get(found.page)
    // Of versions that score alike the newest.
    if (known !== undefined && !isBetter(found, known) && found.score !== known.score) return
    if (known === undefined && pages.size >= pagesToldApart) this.isPartial = true
    else pages.set(found.page, found)
  }

  #offer(score: number, page: number, document: number): void {
    const after = this.#after
    if (after !== undefined && (score > after.score || (score === after.score && page <= after.page))) return
    const best = this.#best
    const last = best[best.length - 1]
    if (best.length > this.#limit && last !== undefined && !isBetter({ score, page }, last)) return
    let [low, high] = [0, best.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBetter(best[middle]!, { score, page })) low = middle + 1
      else high = middle
    }
    best.splice(low, 0, { score, page, document })
    if (best.length > this.#limit + 1) best.pop()
  }

  #count(columns: Segment['columns'], documents: Int32Array): void {
    const sites = new Uint32Array(columns.siteNames.length)
    const languages = new Uint32Array(columns.languageNames.length)
    for (const index of documents) {
      sites[columns.sites[index]!]!++
      languages[columns.languages[index]!]!++
      this.#types[columns.types[index]!]!++
      const year = yearOf(columns.lastMs[index]!)
      this.#years.set(year, (this.#years.get(year) ?? 0) + 1)
    }
    addCounts(this.#sites, columns.siteNames, sites)
    addCounts(this.#languages, columns.languageNames, languages)
  }
}

export function isBetter(one: ListPlace, other: ListPlace): boolean {
  return one.score > other.score || (one.score === other.score && one.page < other.page)
}

export function printPlace({ score, page }: ListPlace): string {
  const bytes = Buffer.alloc(14)
  bytes.writeDoubleBE(score, 0)
  bytes.writeUIntBE(page, 8, 6)
  return bytes.toString('base64url')
}

export function parsePlace(text: string): ListPlace {
  const bytes = Buffer.from(text, 'base64url')
  const score = bytes.length === 14 ? bytes.readDoubleBE(0) : Number.NaN
  if (Number.isNaN(score)) throw bad('This cursor is none of ours. Search again from the beginning.')
  return { score, page: bytes.readUIntBE(8, 6) }
}

const yearMs = 365.2425 * 86_400_000

function yearOf(ms: number): number {
  // Dates are slow; near a new year they are asked all the same.
  const guess = 1970 + ms / yearMs
  const part = guess - Math.floor(guess)
  return part > 0.01 && part < 0.99 ? Math.floor(guess) : new Date(ms).getUTCFullYear()
}

function addCounts(to: Map<string, number>, names: readonly string[], counts: Uint32Array): void {
  for (const [index, count] of counts.entries())
    if (count > 0) to.set(names[index]!, (to.get(names[index]!) ?? 0) + count)
}

function largest(counts: ReadonlyMap<string, number>): FacetCount[] {
  return [...counts]
    .filter(([name]) => name !== '')
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
    .slice(0, facetsShown)
}
