// Pages with the word frequencies of a real language: a Zipf–Mandelbrot law over as many words as such a text has (Heaps), the most
// frequent ones those of English. The same seed gives the same pages and queries.

import { Prng } from '../../src/platform/simulated/prng.ts'

const frequent =
  'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were her all she there would their we him been has when who will more no if out so said what up its about into than them can only other new some could time these two may then do first any my now such like our over man me even most made after also did many before must through back years where much your way well down should because each just those people too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three'.split(
    ' ',
  )
const vocabulary = 120_000
/** Mandelbrot's, for English. */
const exponent = 1.07
const offset = 2.7
const syllables =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo'.split(
    ' ',
  )

export interface Page {
  readonly url: string
  readonly title: string
  readonly text: string
}

export class Corpus {
  readonly #random: Prng
  readonly #words: readonly string[]
  readonly #sums: Float64Array

  constructor(seed: number) {
    this.#random = new Prng(`search ${seed}`)
    this.#words = Array.from({ length: vocabulary }, (_, rank) => frequent[rank] ?? madeUpWord(rank))
    this.#sums = new Float64Array(vocabulary)
    let sum = 0
    for (let rank = 0; rank < vocabulary; rank++) this.#sums[rank] = sum += (rank + 1 + offset) ** -exponent
  }

  page(number: number, words: number): Page {
    const sentence = (length: number): string => Array.from({ length }, () => this.word()).join(' ')
    const lines: string[] = []
    for (let left = words; left > 0; left -= 12) lines.push(`${sentence(Math.min(12, left))}.`)
    return {
      url: `http://site${number % 500}.example/${this.word()}/${number}`,
      title: sentence(5),
      text: lines.join('\n'),
    }
  }

  /** As people ask: mostly rarer words than texts have, sometimes the most frequent ones. */
  queries(count: number): string[][] {
    return Array.from({ length: count }, (_, number) => {
      const length = 1 + (number % 3)
      return Array.from({ length }, () =>
        this.#random.next() % 4 === 0 ? this.word() : this.#words[50 + (this.#random.next() % 5_000)]!,
      )
    })
  }

  word(): string {
    const wanted = (this.#random.next() / 2 ** 32) * this.#sums[vocabulary - 1]!
    let [low, high] = [0, vocabulary - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sums[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return this.#words[low]!
  }
}

function madeUpWord(rank: number): string {
  let word = ''
  for (let rest = rank; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length]!
  return word
}
