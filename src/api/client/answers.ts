// What a peer's interface answers and takes, as far as the client names it. `/openapi.json` of a peer describes all of it.

export interface ArchivedVersion {
  readonly url: string
  readonly surt: string
  /** 14 digits. */
  readonly timestamp: string
  /** ISO 8601. */
  readonly capturedAt: string
  readonly status: number
  readonly mime: string
  readonly kind: 'full' | 'plain' | 'same' | 'delta' | 'not-modified'
  /** `sha256:…` */
  readonly content: string | null
  readonly payloadBytes: number
  readonly storedBytes: number
  readonly recordId: string
}

export interface SearchHit {
  readonly url: string
  readonly time: string
  readonly title: string
  /** HTML with `<mark>`, and nothing else in it. */
  readonly snippet: string
  readonly score: number
  readonly language: string
  readonly type: string
  /** When the page had this text; `until` is null as long as it has. */
  readonly since: string
  readonly until: string | null
  /** How many texts the page had in all. */
  readonly versions: number
  /** Title and snippet come from captures that this peer has checked. */
  readonly verified: boolean
}

export interface SearchResult {
  readonly total: number
  /** Not everything was searched: `missing` says what. */
  readonly partial: boolean
  readonly missing?: readonly string[]
  readonly hits: readonly SearchHit[]
  /** To go on from. */
  readonly cursor: string | null
  readonly suggestion: string | null
}

export interface ArchivedLink {
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly nofollow: boolean
  readonly text: string
  readonly firstSeen: string
  readonly lastSeen: string
  readonly gone: string | null
}

export interface Ranked {
  readonly url: string
  readonly score: number
}

export type ChangeKind = 'new' | 'changed' | 'moved' | 'gone' | 'back'

export interface ChangeEvent {
  readonly id: string
  readonly kind: ChangeKind
  readonly url: string
  readonly site: string
  readonly time: string
  readonly sequence: number
  readonly epoch: number
  readonly cosmetic: boolean
  /** Up to here all was told. */
  readonly cursor: string
  readonly status?: number
  readonly mime?: string
  readonly digestBefore?: string
  readonly digest?: string
  readonly title?: string
  readonly titleBefore?: string
  /** Of the words, how many differ: 0 to 1. */
  readonly wordShare?: number
  readonly target?: string
}

export interface ChangeFilter {
  readonly site?: string
  readonly host?: string
  readonly prefix?: string
  /** RE2. */
  readonly pattern?: string
  readonly kind?: readonly ChangeKind[]
  readonly minChange?: number
  readonly job?: string
  /** False: without what only differs at every visit. */
  readonly cosmetic?: boolean
}

export interface NewJob {
  readonly url?: string
  readonly seeds?: readonly string[]
  readonly scope?: 'page' | 'prefix' | 'host' | 'site' | 'any'
  readonly depth?: number
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly pages?: number
  readonly bytes?: number
  readonly timeMs?: number
  readonly types?: string
  readonly sitemaps?: boolean
  readonly browser?: 'auto' | 'always' | 'never'
  readonly priority?: 'low' | 'normal' | 'high'
}

export interface Job {
  readonly id: string
  readonly state: 'running' | 'paused' | 'done'
  /** Everything kept, a part, or nothing; null while it is not over. */
  readonly outcome: 'complete' | 'partly' | 'nothing' | null
  /** What can be done about what is missing. */
  readonly advice: string | null
  readonly seeds: readonly string[]
  readonly scope: string
  readonly createdAt: string
}

export interface NewWatch {
  /** Of these three one: a page, the pages whose addresses begin like this, or a site. */
  readonly url?: string
  readonly prefix?: string
  readonly site?: string
  readonly name?: string
  /** CSS: only what it selects. */
  readonly selector?: string
  readonly mainText?: boolean
  readonly ignore?: readonly string[]
  readonly ignorePatterns?: readonly string[]
  readonly leastChange?: number
  readonly cosmetic?: boolean
  /** `6h`: visited at least so often. */
  readonly every?: string
  readonly browser?: 'auto' | 'always' | 'never'
}

export interface Watch {
  readonly id: string
  readonly title: string
  readonly paused: boolean
  readonly created: string
  /** Where people look at it. */
  readonly page: string
  /** Its Atom feed. Whoever has this address can read it. */
  readonly feed: string
  readonly trouble: string | null
  readonly told: number
  readonly history: readonly WatchSighting[]
}

export interface WatchSighting {
  readonly event: string
  readonly kind: string
  readonly url: string
  readonly time: string
  /** What happened, in a sentence. */
  readonly words: string
}
