// URL patterns: the regular expressions that a crawl includes and excludes by.
//
// JavaScript's engine backtracks, so a careless pattern can take exponential time on a URL made for it. No engine in
// linear time is at hand, so: URLs are cut to patternedCharsMax characters, nested repeats are refused when the pattern is
// read unless they are known not to explode (`(a+)+` and `(a|a)*` do, `(/[^/]+)+` and `(a|b)*` do not), and how many and
// how long patterns may be is bounded.

import { PolyhistorError } from '../../errors.ts'
import { isUnambiguousRepeat } from './unambiguous-repeat.ts'

export class ScopeError extends PolyhistorError {
  constructor(message: string) {
    super('scope-pattern-malformed', message)
  }
}

const patternsMax = 100
const patternCharsMax = 1_000
/** Longer URLs are matched by their beginning. */
export const patternedCharsMax = 1_000

export class UrlPatterns {
  readonly #include: readonly RegExp[]
  readonly #exclude: readonly RegExp[]

  constructor(patterns: {
    include?: readonly string[] | undefined
    exclude?: readonly string[] | undefined
  }) {
    this.#include = compileAll(patterns.include ?? [])
    this.#exclude = compileAll(patterns.exclude ?? [])
  }

  /** undefined when no pattern excludes it, else which one does. */
  exclusion(href: string): string | undefined {
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

function compileAll(sources: readonly string[]): RegExp[] {
  if (sources.length > patternsMax) throw new ScopeError(`There are more than ${patternsMax} patterns`)
  return sources.map(compile)
}

function compile(source: string): RegExp {
  if (source.length > patternCharsMax) {
    throw new ScopeError(`The pattern ${source.slice(0, 40)}… has more than ${patternCharsMax} characters`)
  }
  const explosion = nestedRepeat(source)
  if (explosion !== undefined) {
    throw new ScopeError(
      `The pattern ${source} repeats ${explosion}, which repeats itself: that can take for ever`,
    )
  }
  try {
    return new RegExp(source)
  } catch (error) {
    throw new ScopeError(`The pattern ${source} is no regular expression: ${(error as Error).message}`)
  }
}

/** A group under `*`, `+` or `{n,}` that holds a repeat or an alternative, and so a choice of how to repeat it:
 * what explodes is among these. */
function nestedRepeat(source: string): string | undefined {
  const open: { start: number; isRisky: boolean }[] = []
  for (let index = 0; index < source.length; index++) {
    const char = source[index]
    if (char === '\\') index++
    else if (char === '[') index = classEnd(source, index)
    else if (char === '(') {
      open.push({ start: index, isRisky: false })
      // Of `(?:`; else `?` makes something optional.
      if (source[index + 1] === '?') index++
    } else if (char === '|' || isVariable(source, index)) for (const group of open) group.isRisky = true
    else if (char === ')') {
      const group = open.pop()
      if (!group?.isRisky || !isUnbounded(source, index + 1)) continue
      const repeated = source.slice(group.start, index + 1)
      if (!isUnambiguousRepeat(repeated)) return repeated
    }
  }
  return undefined
}

function classEnd(source: string, start: number): number {
  for (let index = start + 1; index < source.length; index++) {
    if (source[index] === '\\') index++
    else if (source[index] === ']') return index
  }
  return source.length
}

/** A quantifier that leaves a choice of how often. */
function isVariable(source: string, index: number): boolean {
  return (
    source[index] === '?' || isUnbounded(source, index) || /^\{\d*,/.test(source.slice(index, index + 12))
  )
}

function isUnbounded(source: string, index: number): boolean {
  const char = source[index]
  return (
    char === '*' ||
    char === '+' ||
    (char === '{' && /^\{\d*,\}|^\{\d{3,}/.test(source.slice(index, index + 12)))
  )
}
