// Event filter: which events somebody wants. Everything that is said must be so.

import { PolyhistorError } from '../errors.ts'
import { type LinearPattern, linearPattern, PatternRefused } from '../model/linear-pattern.ts'
import { parseUrl } from '../model/url/url.ts'
import { type ChangeKind, changeKinds } from './change-event.ts'
import type { StoredEvent } from './event-coding.ts'

export interface FilterOptions {
  readonly site?: string | undefined
  readonly host?: string | undefined
  /** URLs that begin with it. */
  readonly prefix?: string | undefined
  /** A regular expression (RE2) that is found in the URL. */
  readonly pattern?: string | undefined
  readonly kinds?: readonly string[] | undefined
  /** The least share of words that differ, 0 to 1. Where it is not known, the event is wanted. */
  readonly minChange?: number | undefined
  readonly job?: string | undefined
  /** False: no events of parts only that differ at every visit. */
  readonly cosmetic?: boolean | undefined
  /** Pages and other texts for people; no pictures, styles, scripts. */
  readonly documentsOnly?: boolean | undefined
}

export class FilterError extends PolyhistorError {
  constructor(message: string) {
    super('filter-malformed', message)
  }
}

const patternCharsMax = 1_000
/** Longer URLs are matched by their beginning. */
const patternedCharsMax = 1_000
const documentType =
  /^(?:text\/(?:html|plain|markdown|xml)|application\/(?:xhtml\+xml|pdf|xml|rss\+xml|atom\+xml|json|msword|epub\+zip|rtf|vnd\.[\w.-]+))\b/i

export class EventFilter {
  readonly #options: FilterOptions
  readonly #pattern: LinearPattern | undefined
  readonly #kinds: ReadonlySet<string> | undefined

  /** Throws FilterError. */
  constructor(options: FilterOptions) {
    this.#options = options
    this.#pattern = options.pattern === undefined ? undefined : compiled(options.pattern)
    const unknown = options.kinds?.find((kind) => !changeKinds.includes(kind as ChangeKind))
    if (unknown !== undefined)
      throw new FilterError(
        `${JSON.stringify(unknown.slice(0, 80))} is no kind of change; there are ${changeKinds.join(', ')}.`,
      )
    this.#kinds = options.kinds && new Set(options.kinds)
    const { minChange = 0 } = options
    if (!(minChange >= 0 && minChange <= 1)) throw new FilterError('The least change must be from 0 to 1.')
  }

  isWanted(event: StoredEvent): boolean {
    const { site, host, prefix, minChange = 0, job, cosmetic, documentsOnly } = this.#options
    if (site !== undefined && event.site !== site) return false
    if (this.#kinds !== undefined && !this.#kinds.has(event.kind)) return false
    if (job !== undefined && event.job !== job) return false
    if (cosmetic === false && event.cosmetic === true) return false
    if (event.wordShare !== undefined && event.wordShare < minChange) return false
    if (prefix !== undefined && !event.url.startsWith(prefix)) return false
    if (host !== undefined && parseUrl(event.url).host !== host) return false
    if (documentsOnly && event.mime !== undefined && event.mime !== '' && !documentType.test(event.mime))
      return false
    return this.#pattern?.test(event.url.slice(0, patternedCharsMax)) ?? true
  }
}

function compiled(pattern: string): LinearPattern {
  try {
    if (pattern.length > patternCharsMax) throw new FilterError('The pattern is too long.')
    return linearPattern(pattern, 'nowhere')
  } catch (error) {
    if (error instanceof PatternRefused) throw new FilterError(`${error.message}.`)
    throw error
  }
}
