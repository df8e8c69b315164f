// Snippet: the part of a text that shows best why it was found, with the words that were looked for marked.

import type { SnippetPart } from '../search-answer.ts'
import type { DocumentText } from '../text/document-text.ts'
import { Vocabulary } from '../text/vocabulary.ts'
import { takeWords, type WordTaker } from '../text/words.ts'

const windowWords = 36
const wordsBefore = 6
const charsMax = 320
const wordsLookedAt = 12_000
/** Far behind the first that was found nothing much better comes. */
const wordsBeyond = 400

const vocabulary = new Vocabulary()

/** `terms`: of all scored words. */
export function snippetOf(text: DocumentText, terms: ReadonlySet<string>): SnippetPart[] {
  const body = bestPart(text.body, text.language, terms)
  if (body.some(({ isMarked }) => isMarked) || text.description === '') return body
  return bestPart(text.description, text.language, terms)
}

function bestPart(text: string, language: string, terms: ReadonlySet<string>): SnippetPart[] {
  const words = new LookedAt(language, terms)
  takeWords(text, words)
  const first = Math.max(0, startOfBest(words.places, words.found) - wordsBefore)
  const last = Math.min(words.count, first + windowWords)
  const start = first === 0 ? 0 : words.starts[first]!
  const isEnd = last === words.count && last - first < windowWords
  const end = isEnd ? text.length : (words.ends[last - 1] ?? 0)
  const cut = Math.min(end, start + charsMax)
  return [
    ...(start > 0 ? [{ text: '… ', isMarked: false }] : []),
    ...parts(text, words, { first, last, start, end: cut }),
    ...(cut < text.length ? [{ text: ' …', isMarked: false }] : []),
  ]
}

/** The words of a text, and which of them are looked for. */
class LookedAt implements WordTaker {
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** Of those that are looked for: which word it is, and its term. */
  readonly places: number[] = []
  readonly found: string[] = []
  readonly #language: string
  readonly #terms: ReadonlySet<string>
  /** By first byte: whether a term may begin so. */
  readonly #isFirst = new Uint8Array(256)

  constructor(language: string, terms: ReadonlySet<string>) {
    vocabulary.tidy()
    this.#language = language
    this.#terms = terms
    this.#isFirst.fill(1, 128)
    for (const term of terms) this.#isFirst[Math.min(255, term.charCodeAt(0))] = 1
  }

  get count(): number {
    return this.starts.length
  }

  take(bytes: Uint8Array, length: number, start: number, end: number): boolean {
    // Stemming leaves the beginning of a word alone: most words need not be stemmed to see that they are others.
    if (this.#isFirst[bytes[0]!] === 1) this.#look(bytes, length)
    this.ends.push(end)
    const count = this.starts.push(start)
    return count < wordsLookedAt && count <= (this.places[0] ?? wordsLookedAt) + wordsBeyond
  }

  #look(bytes: Uint8Array, length: number): void {
    const word = vocabulary.words.numberOf(bytes, 0, length)
    const term = vocabulary.term(vocabulary.termOf(word, this.#language))
    if (!this.#terms.has(term)) return
    this.places.push(this.starts.length)
    this.found.push(term)
  }
}

/** The word that begins the window with the most different terms, and of those with as many the first. */
function startOfBest(places: readonly number[], found: readonly string[]): number {
  let best = 0
  let bestScore = 0
  for (const [index, place] of places.entries()) {
    const kinds = new Set<string>()
    let count = 0
    for (let at = index; at < places.length && places[at]! < place + windowWords - wordsBefore; at++, count++)
      kinds.add(found[at]!)
    const score = 100 * kinds.size + count
    if (score <= bestScore) continue
    bestScore = score
    best = place
  }
  return best
}

function parts(
  text: string,
  { starts, ends, places }: LookedAt,
  { first, last, start, end }: { first: number; last: number; start: number; end: number },
): SnippetPart[] {
  const shown: SnippetPart[] = []
  let at = start
  for (const place of places) {
    const [from, to] = [starts[place]!, ends[place]!]
    if (place < first || place >= last || to > end) continue
    if (from > at) shown.push({ text: plain(text.slice(at, from)), isMarked: false })
    shown.push({ text: text.slice(from, to), isMarked: true })
    at = to
  }
  if (at < end) shown.push({ text: plain(text.slice(at, end)), isMarked: false })
  return shown
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').toWellFormed()
}
