// Watched part: the text of that part of a page that somebody watches (the page, its main text, or what a CSS selector finds), without
// what is to be ignored; and what changed in it.
//
// Selectors and patterns come from people and are checked when a watch is made: WatchError and PatternRefused say what is wrong with
// them. Pages come from anybody: bounded in size, and patterns take time linear in the text (see linear-pattern.ts).

import { compile, selectAll } from 'css-select'
import { type AnyNode, type Element, isTag, isText, type ParentNode } from 'domhandler'
import { type LinearPattern, linearPattern } from '../../../model/linear-pattern.ts'
import { parseUrl, tryParseUrl } from '../../../model/url/url.ts'
import { comparableText, SeenPage } from '../difference/comparable.ts'
import { isHtml } from '../difference/comparison.ts'
import { type TextDifference, textDifference } from '../difference/text-difference.ts'
import { changedWordShare } from '../word-share.ts'
import { isApart, mainElement } from './main-text.ts'
import { pageTree } from './page-tree.ts'
import { WatchError } from './watch-error.ts'

export interface Watch {
  readonly part:
    | { readonly kind: 'page' }
    | { readonly kind: 'main-text' }
    | { readonly kind: 'selector'; readonly selector: string }
  /** Elements that are left out. */
  readonly ignoreSelectors: readonly string[]
  /** Regular expressions: what matches within a line is left out. */
  readonly ignorePatterns: readonly string[]
  /** The least share of words changed that counts, 0 to 1. */
  readonly leastShare: number
}

export interface WatchedPage {
  readonly text: string
  readonly contentType: string
  readonly url: string
}

export interface WatchedChange {
  /** Whether the watched part is there at all. */
  readonly isFoundBefore: boolean
  readonly isFound: boolean
  readonly isChanged: boolean
  readonly wordShare: number
  /** Changed, and by at least what the watch asks for; a part that came or went always is. */
  readonly isEnough: boolean
  readonly difference: TextDifference
}

const selectorCharsMax = 500
/** A selector of many steps takes long on a page made for it. */
const selectorStepsMax = 16
const ignoreRulesMax = 20
/** Of all patterns together: see linear-pattern.ts. */
const patternSizeMax = 400
const limits = { lines: 5_000, links: 0, lineChars: 2_000 }

type Query = (element: Element) => boolean

export class WatchedPart {
  readonly #watch: Watch
  readonly #selector: Query | undefined
  readonly #ignored: readonly Query[]
  readonly #patterns: readonly LinearPattern[]

  /** Throws WatchError or PatternRefused. */
  constructor(watch: Watch) {
    this.#watch = watch
    const { part, ignoreSelectors, ignorePatterns } = watch
    if (ignoreSelectors.length + ignorePatterns.length > ignoreRulesMax)
      throw new WatchError(
        'too-many-ignore-rules',
        `A watch can have ${ignoreRulesMax} ignore rules at most.`,
      )
    this.#selector = part.kind === 'selector' ? compiled(part.selector) : undefined
    this.#ignored = ignoreSelectors.map(compiled)
    this.#patterns = ignorePatterns.map((pattern) => linearPattern(pattern, 'nowhere'))
    const size = this.#patterns.reduce((sum, pattern) => sum + pattern.size, 0)
    if (size > patternSizeMax)
      throw new WatchError(
        'too-many-ignore-rules',
        'The ignore rules of this watch are too complex together: shorten or leave out some.',
      )
  }

  /** undefined when the watched part is not there. */
  lines(page: WatchedPage): string[] | undefined {
    const lines = this.#seenLines(page)?.map((line) => this.#withoutIgnored(line))
    return lines?.filter((line) => line !== '')
  }

  change(before: WatchedPage, after: WatchedPage): WatchedChange {
    const left = this.lines(before)
    const right = this.lines(after)
    const difference = textDifference(left ?? [], right ?? [])
    const { removed, added, changed } = difference.counts
    const isToggled = (left === undefined) !== (right === undefined)
    const isChanged = isToggled || removed + added + changed > 0
    const wordShare = changedWordShare(left ?? [], right ?? [])
    return {
      isFoundBefore: left !== undefined,
      isFound: right !== undefined,
      isChanged,
      wordShare,
      isEnough: isChanged && (isToggled || wordShare >= this.#watch.leastShare),
      difference,
    }
  }

  #seenLines({ text, contentType, url }: WatchedPage): readonly string[] | undefined {
    if (!isHtml(contentType, text)) {
      return this.#watch.part.kind === 'selector' ? undefined : comparableText(text, limits).lines
    }
    const document = pageTree(text)
    const roots = this.#rootsIn(document)
    if (roots.length === 0) return undefined
    const seen = new SeenPage(tryParseUrl(url) ?? parseUrl('http://page.invalid/'), limits)
    const leaveOut = this.#watch.part.kind === 'main-text' ? [...this.#ignored, isApart] : this.#ignored
    for (const root of roots) walk(root, seen, leaveOut)
    return seen.finish().lines
  }

  #rootsIn(document: ParentNode): AnyNode[] {
    if (this.#watch.part.kind === 'page') return [...document.children] as AnyNode[]
    if (this.#watch.part.kind === 'main-text')
      return [...mainElement(document as never).children] as AnyNode[]
    const found = new Set(selectAll<AnyNode, Element>(this.#selector!, document as AnyNode))
    // What is found within what is found is there already.
    return [...found].filter((element) => !hasAncestorIn(element, found))
  }

  #withoutIgnored(line: string): string {
    let left = line
    for (const pattern of this.#patterns) left = pattern.without(left)
    return left === line ? line : left.replace(/\s+/g, ' ').trim()
  }
}

function compiled(selector: string): Query {
  const shown = JSON.stringify(selector.slice(0, 80))
  const steps = selector.match(/[\s>+~,:(]+/g)?.length ?? 0
  if (selector.length > selectorCharsMax || steps > selectorStepsMax)
    throw new WatchError(
      'selector-too-long',
      `The selector ${shown} is too long: ${selectorStepsMax} steps are possible.`,
    )
  if (selector.trim() === '')
    throw new WatchError('selector-malformed', `The selector ${shown} cannot be used: it is empty.`)
  try {
    return compile<AnyNode, Element>(selector) as Query
  } catch (error) {
    const reason = (error as Error).message
    throw new WatchError('selector-malformed', `The selector ${shown} cannot be used: ${reason}`, error)
  }
}

function hasAncestorIn(element: Element, found: ReadonlySet<AnyNode>): boolean {
  for (let { parent } = element; parent !== null; parent = parent.parent) if (found.has(parent)) return true
  return false
}

/** Tells a reader of markup what stands in a tree; depth is bounded by that. */
function walk(node: AnyNode, seen: SeenPage, leaveOut: readonly Query[]): void {
  if (isText(node)) seen.text(node.data)
  if (!isTag(node) || leaveOut.some((isLeftOut) => isLeftOut(node))) return
  seen.open(node.name, new Map(Object.entries(node.attribs)))
  for (const child of node.children) walk(child, seen, leaveOut)
  seen.close(node.name)
}
