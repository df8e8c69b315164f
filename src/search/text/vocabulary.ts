// Vocabulary: the words and terms that this thread has met, by number. A word that comes again costs a look into a table; it is
// stemmed once for each language.
//
// Bounded: whoever begins a text tidies it first, and when it has grown too large it is forgotten as a whole. Numbers hold until then.

import { ByteTable } from '../packing/byte-table.ts'
import { type LanguageSign, signOf } from './language.ts'
import { termOf } from './stemming.ts'
import { takeWords } from './words.ts'

/** A text has seldom more, and to begin anew costs more than they take. */
const wordsMax = 300_000
const bytesMax = 8 * 1024 * 1024

/** Numbers of words, in the order of the text. */
export type WordList = readonly number[]

export class Vocabulary {
  #words = new ByteTable()
  #strings: string[] = []
  #signs: LanguageSign[] = []
  #terms = new ByteTable()
  #termStrings: string[] = []
  /** By language, of each word: the number of its term, and 1. */
  #termsByLanguage = new Map<string, number[]>()
  #scratch = new Uint32Array(0)

  /** Forgets all numbers, where there are too many. */
  tidy(): void {
    const [words, terms] = [this.#words, this.#terms]
    if (words.count + terms.count < wordsMax && words.bytes + terms.bytes < bytesMax) return
    this.#words = new ByteTable()
    this.#strings = []
    this.#signs = []
    this.#terms = new ByteTable()
    this.#termStrings = []
    this.#termsByLanguage = new Map()
  }

  wordsOf(text: string, max: number): WordList {
    const words = this.#words
    const numbers: number[] = []
    takeWords(text, {
      take: (bytes, length) => numbers.push(words.numberOf(bytes, 0, length)) < max,
    })
    return numbers
  }

  word(number: number): string {
    while (this.#strings.length <= number) this.#strings.push(this.#words.text(this.#strings.length, 'utf8'))
    return this.#strings[number]!
  }

  signOf(number: number): LanguageSign {
    while (this.#signs.length <= number) this.#signs.push(signOf(this.word(this.#signs.length)))
    return this.#signs[number]!
  }

  /** In a text of this language. */
  termOf(word: number, language: string): number {
    let terms = this.#termsByLanguage.get(language)
    if (terms === undefined) this.#termsByLanguage.set(language, (terms = []))
    // Without holes, which would make it slow.
    while (terms.length <= word) terms.push(0)
    const known = terms[word]!
    if (known !== 0) return known - 1
    const term = this.numberOfTerm(termOf(this.word(word), language))
    terms[word] = term + 1
    return term
  }

  numberOfTerm(term: string): number {
    const bytes = Buffer.from(term)
    const number = this.#terms.numberOf(bytes, 0, bytes.length)
    if (number === this.#termStrings.length) this.#termStrings.push(term)
    return number
  }

  term(number: number): string {
    return this.#termStrings[number]!
  }

  /** A number for each word, all 0: whoever writes to it takes it back. */
  scratch(): Uint32Array {
    const { count } = this.#words
    if (this.#scratch.length < count) this.#scratch = new Uint32Array(2 * count)
    return this.#scratch
  }

  /** In UTF-8. */
  get terms(): ByteTable {
    return this.#terms
  }

  get words(): ByteTable {
    return this.#words
  }
}
