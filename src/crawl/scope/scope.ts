// Scope: which of the URLs that were found belong to a crawl.
//
//   page     the seeds, and all they need
//   prefix   what lies below a seed's folder on its host and port: `/a/b.html` takes in `/a/`; http and https alike
//   host     a seed's host, whatever the port and scheme
//   site     a seed's registrable domain
//   any      everything
//
// What a page needs to look right (requisites, and what these need) is taken on whatever host it lies, for at most
// requisiteHopsMax steps. Patterns decide last: `exclude` wins, then `include` must match where there is one. What a page
// needs comes along with it, whether `include` matches it or not; neither applies to seeds, which were asked for by name.
// Pure: says yes, or no with a reason.

import type { Url } from '../../model/url/url.ts'
import type { FetchTask } from '../frontier/fetch-task.ts'
import { ScopeError, UrlPatterns } from './url-patterns.ts'

export const scopeKinds = ['page', 'prefix', 'host', 'site', 'any'] as const
export type ScopeKind = (typeof scopeKinds)[number]

export interface ScopeOptions {
  readonly scope: ScopeKind
  /** Navigation steps from a seed; without limit when undefined. */
  readonly depth?: number | undefined
  /** Regular expressions on the href, JavaScript's syntax. */
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

type ScopeQuestion = Pick<FetchTask, 'url' | 'kind' | 'depth' | 'requisiteHops' | 'redirects'>

/** Page → frame → style sheet → imported one → font, and a few to spare: frames in frames could go on for ever. */
export const requisiteHopsMax = 8
/** As browsers. */
export const redirectsMax = 20

export class Scope {
  readonly #options: ScopeOptions
  readonly #patterns: UrlPatterns
  /** Why nothing but seeds belongs any more. */
  readonly #unusable: string | undefined
  readonly #hrefs = new Set<string>()
  readonly #hosts = new Set<string>()
  readonly #sites = new Set<string>()
  /** Folders by authority, for `prefix`. */
  readonly #folders = new Map<string, string[]>()

  /** Throws ScopeError for a pattern that cannot be used. `isStored`: a job of an earlier version may have one; it is kept, and
   * follows no links any more. */
  constructor(options: ScopeOptions, seeds: readonly Url[], { isStored = false } = {}) {
    this.#options = options
    const { patterns, unusable } = isStored ? storedPatterns(options) : { patterns: new UrlPatterns(options) }
    this.#patterns = patterns
    this.#unusable = unusable
    for (const seed of seeds) this.addSeed(seed)
  }

  /** Where a seed redirects to stands for the seed from then on. */
  addSeed(seed: Url): void {
    this.#hrefs.add(seed.href)
    this.#hosts.add(seed.host)
    this.#sites.add(seed.site)
    const folders = this.#folders.get(seed.authority) ?? []
    const folder = folderOf(seed)
    if (!folders.includes(folder)) folders.push(folder)
    this.#folders.set(seed.authority, folders)
  }

  /** undefined when it belongs, else why not. */
  refusal(question: ScopeQuestion): string | undefined {
    const { url, kind, depth, requisiteHops, redirects } = question
    if (redirects > redirectsMax) return `more than ${redirectsMax} redirects`
    if (kind === 'seed') return undefined
    if (this.#unusable !== undefined) return this.#unusable
    const { depth: depthMax = Number.POSITIVE_INFINITY } = this.#options
    if (depth > depthMax) return `depth ${depth} is more than ${depthMax}`
    if (requisiteHops > requisiteHopsMax)
      return `more than ${requisiteHopsMax} steps from the page that needs it`
    const isNeeded = requisiteHops > 0
    if (!isNeeded && !this.#holds(url)) return `not in scope ${this.#options.scope}`
    return this.#patterns.exclusion(url.href) ?? (isNeeded ? undefined : this.#patterns.omission(url.href))
  }

  #holds(url: Url): boolean {
    switch (this.#options.scope) {
      case 'any':
        return true
      case 'site':
        return this.#sites.has(url.site)
      case 'host':
        return this.#hosts.has(url.host)
      case 'prefix':
        return this.#folders.get(url.authority)?.some((folder) => url.target.startsWith(folder)) ?? false
      case 'page':
        return this.#hrefs.has(url.href)
    }
  }
}

function storedPatterns(options: ScopeOptions): { patterns: UrlPatterns; unusable?: string } {
  try {
    return { patterns: new UrlPatterns(options) }
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error
    return { patterns: new UrlPatterns({}), unusable: error.message }
  }
}

/** The path up to its last slash. */
function folderOf(url: Url): string {
  const { target } = url
  const question = target.indexOf('?')
  const path = question === -1 ? target : target.slice(0, question)
  return path.slice(0, path.lastIndexOf('/') + 1)
}
