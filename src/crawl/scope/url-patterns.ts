// URL patterns: the regular expressions that a crawl includes and excludes by. They may come from any peer of a network, so they
// are matched in linear time (model/linear-pattern.ts), and how many and how large they may be is bounded.

import { PolyhistorError } from '../../errors.ts'
import { type LinearPattern, linearPattern, PatternRefused } from '../../model/linear-pattern.ts'

export class ScopeError extends PolyhistorError {
  constructor(message: string) {
    super('scope-pattern-malformed', message)
  }
}

const patternsMax = 100
const patternCharsMax = 1_000
/** Instructions of all of them together: what a character of a URL may cost. */
const sizeMax = 5_000
/** Longer URLs are matched by their beginning. */
const patternedCharsMax = 1_000

interface Patterns {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

export class UrlPatterns {
  readonly #include: readonly LinearPattern[]
  readonly #exclude: readonly LinearPattern[]

  /** Throws ScopeError. */
  constructor({ include = [], exclude = [] }: Patterns) {
    if (include.length > patternsMax || exclude.length > patternsMax)
      throw new ScopeError(`There are more than ${patternsMax} patterns`)
    this.#include = include.map(compile)
    this.#exclude = exclude.map(compile)
    const size = [...this.#include, ...this.#exclude].reduce((sum, pattern) => sum + pattern.size, 0)
    if (size > sizeMax) throw new ScopeError('The patterns are too large all together')
  }

  /** undefined when no pattern excludes it, else which one does. */
  exclusion(href: string): string | undefined {
    if (this.#exclude.length === 0) return undefined
    const text = beginning(href)
    const pattern = this.#exclude.find((candidate) => candidate.test(text))
    return pattern && `excluded by ${pattern.source}`
  }

  /** undefined when a pattern includes it, or there is none. */
  omission(href: string): string | undefined {
    if (this.#include.length === 0) return undefined
    const text = beginning(href)
    return this.#include.some((pattern) => pattern.test(text)) ? undefined : 'no include pattern matches'
  }
}

function beginning(href: string): string {
  return href.length > patternedCharsMax ? href.slice(0, patternedCharsMax) : href
}

function compile(source: string): LinearPattern {
  if (source.length > patternCharsMax) {
    throw new ScopeError(`The pattern ${source.slice(0, 40)}… has more than ${patternCharsMax} characters`)
  }
  try {
    return linearPattern(source, 'nowhere')
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error
    throw new ScopeError(`The pattern ${source} cannot be used: ${error.reason}`)
  }
}
