// Page terms: the terms of one page, gathered field by field and packed.
//
// Packed, for each term, numbers with 7 bits to a byte: the length of the term in UTF-8 and the term; the length of a word that it stands
// for, 0 where that is the term itself, and the word; its weight in one byte; the length of its places, and the places as differences.

import type { ByteTable } from '../packing/byte-table.ts'
import { ByteList } from '../packing/growing-lists.ts'
import { fieldTerm, type TermField } from './field-term.ts'
import type { Vocabulary, WordList } from './vocabulary.ts'
import { folded } from './words.ts'

export const weightMax = 255
const placesMax = 1_000
/** Between fields, so that no phrase reaches from one into the other. */
const fieldGap = 100
const noWord = -1

/** Room that is used again for every page. */
const packing = new ByteList()
let placesRoom = new Uint32Array(4_096)

export class PageTerms {
  readonly #vocabulary: Vocabulary
  readonly #language: string
  /** By the number of a term: which of the page's it is. */
  readonly #numbers = new Map<number, number>()
  /** By the number of a word: the same, and 1. Belongs to the vocabulary, and is left as it was found. */
  readonly #byWord: Uint32Array
  readonly #words: number[] = []
  /** Of each term of the page. */
  readonly #terms: number[] = []
  readonly #surfaces: number[] = []
  readonly #weights: number[] = []
  readonly #counts: number[] = []
  /** Of each place: the term of the page that stands there. */
  readonly #placed: number[] = []
  readonly #places: number[] = []
  #place = 0

  constructor(vocabulary: Vocabulary, language: string) {
    this.#vocabulary = vocabulary
    this.#language = language
    this.#byWord = vocabulary.scratch()
  }

  add(words: WordList, weight: number): void {
    for (const word of words) this.#count(this.#ofWord(word), weight, this.#place++)
    if (words.length > 0) this.#place += fieldGap
  }

  /** Raises words that are added elsewhere. */
  weigh(words: WordList, weight: number): void {
    for (const word of words) this.#count(this.#ofWord(word), weight, -1)
  }

  addField(field: TermField, words: WordList): void {
    for (const [place, word] of words.entries()) {
      const vocabulary = this.#vocabulary
      const term =
        field === 'url'
          ? folded(vocabulary.word(word))
          : vocabulary.term(vocabulary.termOf(word, this.#language))
      this.#count(this.#of(vocabulary.numberOfTerm(fieldTerm(field, term)), noWord), 1, place)
    }
  }

  filter(field: TermField, value: string): void {
    this.#count(this.#of(this.#vocabulary.numberOfTerm(fieldTerm(field, value)), noWord), 1, -1)
  }

  /** At the end. */
  packed(): Uint8Array {
    for (const word of this.#words) this.#byWord[word] = 0
    const { starts, places } = this.#placesByTerm()
    const { terms, words } = this.#vocabulary
    const list = packing
    list.clear()
    for (const [own, term] of this.#terms.entries()) {
      addText(list, terms, term)
      const surface = this.#surfaces[own]!
      if (surface === noWord || isSame(words, surface, terms, term)) list.add(0)
      else addText(list, words, surface)
      list.add(this.#weights[own]!)
      const lengthAt = list.length
      list.add(0)
      let last = 0
      for (let at = starts[own]!; at < starts[own + 1]!; at++) {
        list.addNumber(places[at]! - last)
        last = places[at]!
      }
      list.setLength(lengthAt)
    }
    return list.copy()
  }

  #placesByTerm(): { starts: readonly number[]; places: Uint32Array } {
    const starts = [0]
    for (const count of this.#counts) starts.push(starts.at(-1)! + count)
    const next = starts.slice()
    if (placesRoom.length < this.#places.length) placesRoom = new Uint32Array(2 * this.#places.length)
    const places = placesRoom
    for (let at = 0; at < this.#places.length; at++) places[next[this.#placed[at]!]!++] = this.#places[at]!
    return { starts, places }
  }

  #ofWord(word: number): number {
    const known = this.#byWord[word]!
    if (known !== 0) return known - 1
    const own = this.#of(this.#vocabulary.termOf(word, this.#language), word)
    this.#byWord[word] = own + 1
    this.#words.push(word)
    return own
  }

  #of(term: number, surface: number): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const own = this.#terms.push(term) - 1
    this.#numbers.set(term, own)
    this.#surfaces.push(surface)
    this.#weights.push(0)
    this.#counts.push(0)
    return own
  }

  #count(own: number, weight: number, place: number): void {
    this.#weights[own] = Math.min(weightMax, this.#weights[own]! + weight)
    if (place < 0 || this.#counts[own]! >= placesMax) return
    this.#counts[own]!++
    this.#placed.push(own)
    this.#places.push(place)
  }
}

function addText(list: ByteList, table: ByteTable, number: number): void {
  const [start, end] = [table.startOf(number), table.startOf(number + 1)]
  list.addNumber(end - start)
  list.addBytes(table.content, start, end)
}

function isSame(one: ByteTable, number: number, other: ByteTable, otherNumber: number): boolean {
  const [start, end] = [one.startOf(number), one.startOf(number + 1)]
  const [from, to] = [other.startOf(otherNumber), other.startOf(otherNumber + 1)]
  if (end - start !== to - from) return false
  for (let at = start; at < end; at++) if (one.content[at] !== other.content[from + at - start]) return false
  return true
}
