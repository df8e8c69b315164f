// Stemming: words as they are indexed. A page's words are stemmed by its language; a query's word stands for its stems in all
// languages, for nobody says in which language a query is.

import { stemmer as ar } from '@orama/stemmers/arabic'
import { stemmer as da } from '@orama/stemmers/danish'
import { stemmer as nl } from '@orama/stemmers/dutch'
import { stemmer as en } from '@orama/stemmers/english'
import { stemmer as fi } from '@orama/stemmers/finnish'
import { stemmer as fr } from '@orama/stemmers/french'
import { stemmer as de } from '@orama/stemmers/german'
import { stemmer as hu } from '@orama/stemmers/hungarian'
import { stemmer as it } from '@orama/stemmers/italian'
import { stemmer as no } from '@orama/stemmers/norwegian'
import { stemmer as pt } from '@orama/stemmers/portuguese'
import { stemmer as ro } from '@orama/stemmers/romanian'
import { stemmer as ru } from '@orama/stemmers/russian'
import { stemmer as es } from '@orama/stemmers/spanish'
import { stemmer as sv } from '@orama/stemmers/swedish'
import { stemmer as tr } from '@orama/stemmers/turkish'
import { folded } from './words.ts'

type Stemmer = (word: string) => string

const stemmers: ReadonlyMap<string, Stemmer> = new Map(
  Object.entries({ ar, da, de, en, es, fi, fr, hu, it, nl, no, pt, ro, ru, sv, tr }),
)
/** Words of one language: a text has seldom more, and to clear it costs more than it takes. */
const cachedMax = 200_000
const caches = new Map<string, Map<string, string>>()

/** The term that a word of a page in this language is found by. */
export function termOf(word: string, language: string): string {
  const stemmer = stemmers.get(language)
  const cache = cacheOf(stemmer === undefined ? '' : language)
  const known = cache.get(word)
  if (known !== undefined) return known
  const term = folded(stemmer === undefined ? word : stemmed(stemmer, word))
  if (cache.size >= cachedMax) cache.clear()
  cache.set(word, term)
  return term
}

/** All terms that a word of a query stands for. */
export function termsOf(word: string, language?: string): string[] {
  if (language !== undefined) return [termOf(word, language)]
  const terms = new Set([termOf(word, '')])
  for (const each of stemmers.keys()) terms.add(termOf(word, each))
  return [...terms]
}

function stemmed(stemmer: Stemmer, word: string): string {
  // Numbers are none of theirs, and they may leave nothing of a short word.
  return /\d/.test(word) ? word : stemmer(word) || word
}

function cacheOf(language: string): Map<string, string> {
  let cache = caches.get(language)
  if (cache === undefined) caches.set(language, (cache = new Map()))
  return cache
}
