// What is asked of a search, and what comes back. Plain data: it goes between threads and peers.

/** What is not said is as in the query, or by default. */
export interface SearchQuestion {
  readonly text: string
  /** Only this site, host or domain. */
  readonly site?: string | undefined
  /** As in `at:`; a date, or `ever`. */
  readonly at?: string | undefined
  readonly limit: number
  /** Of an earlier answer: what comes behind it. */
  readonly cursor?: string | undefined
  readonly hasFacets?: boolean | undefined
}

export interface SnippetPart {
  readonly text: string
  readonly isMarked: boolean
}

export interface HitVersion {
  readonly firstMs: number
  readonly lastMs: number
  /** When another text was seen; null as long as none was. */
  readonly endMs: number | null
}

export interface SearchHit {
  readonly href: string
  /** Of a capture that shows this text. */
  readonly timeMs: number
  readonly title: string
  readonly snippet: readonly SnippetPart[]
  readonly score: number
  readonly language: string
  readonly type: string
  /** When the page had this text. */
  readonly version: HitVersion
  /** How many texts the page had in all. */
  readonly versions: number
  /** Title and snippet are what another peer tells; what is here comes from captures that were checked. */
  readonly isTold?: boolean | undefined
}

export interface FacetCount {
  readonly name: string
  readonly count: number
}

export interface SearchFacets {
  readonly sites: readonly FacetCount[]
  readonly years: readonly FacetCount[]
  readonly types: readonly FacetCount[]
  readonly languages: readonly FacetCount[]
}

export interface SearchAnswer {
  /** Pages that were found. */
  readonly total: number
  /** Not everything was looked at. */
  readonly isPartial: boolean
  readonly hits: readonly SearchHit[]
  readonly facets: SearchFacets | undefined
  /** To go on from; undefined at the end. */
  readonly cursor: string | undefined
  /** The query as it was perhaps meant. */
  readonly suggestion: string | undefined
  /** Of this peer: pages that are indexed. */
  readonly pages: number
  /** Where the answer is partial: what was not searched, as sentences. */
  readonly missing: readonly string[]
}

export interface SearchService {
  search(question: SearchQuestion): Promise<SearchAnswer>
}

export const hitsDefault = 10
export const hitsMax = 100
